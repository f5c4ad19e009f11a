import { ANNOTATION } from '../../kubevirt/labels.ts'
import { COPY_METRICS, LAB_COPY_METRICS } from '../../kubevirt/metrics.ts'
import type { Vmi } from '../../kubevirt/types.ts'
import type { CopyProgress } from './guest/guest.ts'
import type { LauncherPods } from './handler-context.ts'
import type { MigrationRecord } from './outgoing-migration.ts'

/** What is kept of copies that have ended, so that a client that looks late still finds its own. */
const KEPT = 100

/** The figures of the copies that one node sends, as virt-handler serves them (fact sheet data-plane.md §6.1). */
export interface CopyMetrics {
  ended(vmi: Vmi, record: Readonly<MigrationRecord>): void
  /** In Prometheus' text format. @param now ms since the epoch: KubeVirt's samples carry their time */
  text(launchers: LauncherPods, now: number): string
}

interface Row {
  name: string
  labels: Record<string, string>
  value: number
  at?: number
}

export function copyMetrics(node: string): CopyMetrics {
  const finished: Copied[] = []
  return {
    ended({ metadata }, record) {
      finished.push({ namespace: metadata.namespace ?? '', name: metadata.name, record })
      if (finished.length > KEPT) finished.shift()
    },
    text(launchers, now) {
      const current = launchers.all().flatMap(({ pod, launcher }) => {
        const record = launcher.domain.outgoing
        const namespace = pod.metadata.namespace ?? ''
        const name = pod.metadata.annotations?.[ANNOTATION.domain] ?? ''
        const progress = launcher.progress()
        return record ? [{ namespace, name, record: withProgress(record, progress) }] : []
      })
      const running = current.filter(({ record }) => record.endedAt === undefined)
      const known = new Map([...finished, ...current].map((one) => [one.record.uid, one]))
      return rendered([
        ...running.flatMap((one) => kubevirtRows(one, node, now)),
        ...[...known.values()].flatMap(labRows),
      ])
    },
  }
}

interface Copied {
  namespace: string
  name: string
  record: Readonly<MigrationRecord>
}

function withProgress(
  record: Readonly<MigrationRecord>,
  progress: CopyProgress | undefined,
): Readonly<MigrationRecord> {
  return progress && record.endedAt === undefined ? { ...record, lastProgress: progress } : record
}

function kubevirtRows({ namespace, name, record }: Copied, node: string, now: number): Row[] {
  const progress = record.lastProgress
  if (!progress) return []
  const labels = { namespace, name, node }
  const row = (metric: keyof typeof COPY_METRICS, value: number): Row => ({
    name: COPY_METRICS[metric][0],
    labels,
    value,
    at: now,
  })
  return [
    row('totalBytes', progress.totalBytes),
    row('processedBytes', progress.processedBytes),
    row('remainingBytes', progress.remainingBytes),
    row('dirtyRate', progress.dirtyBytesPerSecond),
    row('memoryRate', progress.memoryBytesPerSecond),
  ]
}

function labRows({ namespace, name, record }: Copied): Row[] {
  const labels = { namespace, name, uid: record.uid }
  const row = (metric: keyof typeof LAB_COPY_METRICS, value: number | undefined): Row[] =>
    value === undefined ? [] : [{ name: LAB_COPY_METRICS[metric], labels, value }]
  return [
    ...row('rounds', record.lastProgress?.iteration),
    ...row('transferredBytes', record.lastProgress?.processedBytes),
    ...row(
      'downtimeSeconds',
      record.downtimeMs === undefined ? undefined : record.downtimeMs / 1000,
    ),
    ...row('verified', record.verified === undefined ? undefined : Number(record.verified)),
  ]
}

/** One TYPE line a metric, its samples below; KubeVirt calls the total a counter. */
function rendered(rows: Row[]): string {
  const lines: string[] = []
  for (const [name, samples] of Map.groupBy(rows, (row) => row.name)) {
    lines.push(`# TYPE ${name} ${name === COPY_METRICS.totalBytes[0] ? 'counter' : 'gauge'}`)
    for (const { labels, value, at } of samples) {
      const pairs = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(text)}`)
      lines.push(`${name}{${pairs.join(',')}} ${value}${at === undefined ? '' : ` ${at}`}`)
    }
  }
  return lines.map((line) => `${line}\n`).join('')
}
