import type { Cluster } from '../../cluster/cluster.ts'
import { readHandlerMetrics } from '../../cluster/handler-metrics.ts'
import { MigError } from '../../errors.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import { COPY_METRICS, parseMetrics } from '../../kubevirt/metrics.ts'
import { phaseOf, stateOf, timeOf } from '../../kubevirt/migration.ts'
import { PODS } from '../../kubevirt/resources.ts'
import type { Migration, Pod } from '../../kubevirt/types.ts'
import type { CopyMeasure } from '../evidence.ts'
import type { Reader } from './reader.ts'
import type { Found } from './subject.ts'

const NAMES = new Set<string>(Object.values(COPY_METRICS).flat())

/** How the copies stand by the source node's virt-handler; where its metrics may not be read, that is a gap. */
export async function readCopies(
  cluster: Cluster,
  reader: Reader,
  { vmi, migrations }: Found,
  signal: AbortSignal,
): Promise<CopyMeasure[]> {
  const copying = migrations.filter((migration) => phaseOf(migration) === 'Running')
  const measures = copying.map(async (migration) => {
    const state = stateOf(migration, vmi)
    const handler = reader.objects
      .list<Pod>(PODS.kind)
      .find(
        ({ metadata, spec }) =>
          metadata.labels?.[LABEL.app] === 'virt-handler' && spec.nodeName === state?.sourceNode,
      )
    if (!handler) return undefined
    const { namespace = '', name } = handler.metadata
    const what = `metrics of ${name}`
    if (!reader.mayRead('get', PODS, namespace, what, 'proxy')) return undefined
    try {
      const text = await readHandlerMetrics(cluster, { namespace, pod: name }, signal)
      return measureOf(text, migration, name, timeOf(state?.startTimestamp))
    } catch (err) {
      if (!(err instanceof MigError) || signal.aborted) throw err
      reader.gap({ what, why: err.exit === 8 ? 'forbidden' : 'unreadable', detail: err.message })
      return undefined
    }
  })
  return (await Promise.all(measures)).filter((measure) => measure !== undefined)
}

/** The newest sample of each; those from before the copy began are of an earlier one. */
function measureOf(
  text: string,
  { metadata, spec }: Migration,
  pod: string,
  since: number | undefined,
): CopyMeasure | undefined {
  const own = parseMetrics(text, NAMES).filter(
    ({ labels, at }) =>
      labels['namespace'] === metadata.namespace &&
      labels['name'] === spec.vmiName &&
      (at === undefined || since === undefined || at >= since),
  )
  const newest = (names: readonly string[]) =>
    own.filter(({ name }) => names.includes(name)).sort((a, b) => (b.at ?? 0) - (a.at ?? 0))[0]
  const [total, processed, remaining, dirty, rate] = [
    newest(COPY_METRICS.totalBytes),
    newest(COPY_METRICS.processedBytes),
    newest(COPY_METRICS.remainingBytes),
    newest(COPY_METRICS.dirtyRate),
    newest(COPY_METRICS.memoryRate),
  ]
  if (!processed || !remaining || !dirty || !rate) return undefined
  return {
    migrationUid: metadata.uid ?? '',
    pod,
    totalBytes: total?.value,
    processedBytes: processed.value,
    remainingBytes: remaining.value,
    dirtyRate: dirty.value,
    copyRate: rate.value,
    at: processed.at,
  }
}
