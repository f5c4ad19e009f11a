import type { Cluster } from '../../cluster/cluster.ts'
import { portForward } from '../../cluster/port-forward.ts'
import { MigError } from '../../errors.ts'
import { stateOf } from '../../kubevirt/migration.ts'
import { KUBEVIRTS } from '../../kubevirt/resources.ts'
import type { KubeVirt, Pod } from '../../kubevirt/types.ts'
import { connectTo } from '../../probe/commands.ts'
import { handshake } from '../../probe/tls-handshake.ts'
import type { Gap } from '../evidence.ts'
import type { ProxyProbe } from '../probes.ts'
import type { Run } from './command-runner.ts'
import { type ProbePlan, planConnect, type Standing } from './probe-plan.ts'
import type { Reader } from './reader.ts'

export interface ConnectContext {
  cluster: Cluster
  reader: Reader
  run: Run
  signal: AbortSignal
  announce: (line: string) => void
  /** Whether a port may be forwarded; if not, that is a gap now. */
  isPermitted: () => Promise<boolean>
}

/** What is missing where none was made. */
export const CONNECTION = 'connection to the port of label 0'

/** ms */
const HANDSHAKE_LIMIT = 5000

/**
 * One TCP connection from the source's virt-handler to the port of label 0, which is the way that the migration takes, and
 * one TLS handshake with it by port-forward. Never to the other ports: QEMU would take it for a migration's. Each leaves a
 * connection to virtqemud behind (fact sheet data-plane.md §1.5), so there is one of each and no second attempt.
 */
export async function connectOnce(
  probe: ProxyProbe,
  { sides }: ProbePlan,
  { migration, vmi }: Standing,
  { cluster, reader, run, signal, announce, isPermitted }: ConnectContext,
): Promise<void> {
  const kubevirt = reader.objects.list<KubeVirt>(KUBEVIRTS.kind)[0]
  const connect = planConnect(migration, stateOf(migration, vmi), kubevirt)
  const from = sides.find(({ role }) => role === 'source')
  const to = sides.find(({ role }) => role === 'target')
  if ('why' in connect || !from || !to) {
    const detail = 'why' in connect ? connect.why : 'the virt-handler of one side was not read'
    reader.gap({ what: CONNECTION, why: 'unreadable', detail })
    return
  }
  const { address, port, tls } = connect
  probe.rung = 'connect'
  announce(
    `connecting once from ${from.pod.metadata.name} to ${address}:${port}, the port of label 0: it leaves ${LEAVES}`,
  )
  probe.connect = await run(from.pod, connectTo(address, port))
  if (!tls) {
    announce('no TLS handshake: TLS of migrations is switched off')
    return
  }
  if (!(await isPermitted())) return
  announce(
    `one TLS handshake with port ${port} of ${to.pod.metadata.name} by port-forward: it leaves ${LEAVES}`,
  )
  probe.handshake = await shakeHands(cluster, reader, to.pod, port, signal)
}

/** What each connection leaves behind. */
export const LEAVES = "a connection to virtqemud that stays until the target's launcher ends"

async function shakeHands(
  cluster: Cluster,
  reader: Reader,
  { metadata: { namespace = '', name } }: Pod,
  port: number,
  signal: AbortSignal,
): Promise<NonNullable<ProxyProbe['handshake']>> {
  try {
    const stream = await portForward(cluster, { namespace, pod: name, port }, signal)
    const value = await handshake(stream, { timeoutMs: HANDSHAKE_LIMIT, signal })
    return { state: 'read', value, from: `pod/${namespace}/${name}` }
  } catch (err) {
    if (signal.aborted) throw err
    const gap: Gap = {
      what: 'TLS handshake',
      why: err instanceof MigError && err.exit === 8 ? 'forbidden' : 'unreadable',
      detail: `by port-forward to ${name}: ${err instanceof Error ? err.message : err}`,
    }
    reader.gap(gap)
    return { state: 'unread', gap }
  }
}
