import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { ReportVerdict } from '../diagnose/report.ts'
import type { Migration } from '../kubevirt/types.ts'

/** Why a migration failed, or does not move: what `kubectl mig diagnose` says of it now. */
export type Explain = (migration: Migration, signal: AbortSignal) => Promise<ReportVerdict>

/**
 * Diagnoses one after the other, however many fail at once: each takes some forty requests. The diagnosis is loaded only
 * when it is needed.
 */
export function createExplain(
  cluster: Cluster,
  { clock, namespace }: { clock: Clock; namespace: string },
): Explain {
  let last: Promise<unknown> = Promise.resolve()
  const explain = async ({ metadata: { name } }: Migration, signal: AbortSignal) => {
    signal.throwIfAborted()
    const { diagnoseLive } = await import('../diagnose/live.ts')
    const reference = { kind: 'vmim', name, text: `vmim/${name}` } as const
    // What broke a connection stands in the logs of both virt-handlers alone.
    const options = { now: clock.now(), signal, namespace, logs: true }
    const { verdict } = await diagnoseLive(cluster, reference, options)
    return verdict
  }
  return (migration, signal) => {
    const verdict = last.then(() => explain(migration, signal))
    last = verdict.catch(() => undefined)
    return verdict
  }
}
