import { setFlagsFromString } from 'node:v8'
import { type Clock, systemClock } from './clock.ts'
import type { Cluster } from './cluster/cluster.ts'
import { connect } from './cluster/config.ts'
import { type ClusterFlags, clusterOptionsOf } from './flags.ts'
import { type InterruptionOptions, interruption } from './interrupt.ts'

export interface Session {
  cluster: Cluster
  /** Aborted with a MigError: interrupted (130) or timed out (5). */
  signal: AbortSignal
  clock: Clock
}

/**
 * What every command that talks to a cluster does around its own work: connects, listens for Ctrl-C, and closes
 * everything afterwards.
 */
export async function withCluster<T>(
  flags: ClusterFlags,
  { timeoutMs, quiet }: InterruptionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  // What a client reads lives for a moment. V8 would let the space for that grow to 64 MiB in long lists, to no gain.
  setFlagsFromString('--semi-space-growth-factor=1')
  const cluster = await connect(clusterOptionsOf(flags))
  const { signal, close } = interruption({ timeoutMs, quiet })
  try {
    return await work({ cluster, signal, clock: systemClock })
  } finally {
    close()
    await cluster.close()
  }
}
