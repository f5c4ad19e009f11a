/**
 * The metrics of a running copy, as the source node's virt-handler serves them (fact sheet data-plane.md §6.1). Names
 * newest first; 1.0 had others, and none of them must be there.
 */
export const COPY_METRICS = {
  totalBytes: [
    'kubevirt_vmi_migration_data_bytes_total',
    'kubevirt_vmi_migration_data_total_bytes',
  ],
  processedBytes: [
    'kubevirt_vmi_migration_data_processed_bytes',
    'kubevirt_migrate_vmi_data_processed_bytes',
  ],
  remainingBytes: [
    'kubevirt_vmi_migration_data_remaining_bytes',
    'kubevirt_migrate_vmi_data_remaining_bytes',
  ],
  dirtyRate: [
    'kubevirt_vmi_migration_dirty_memory_rate_bytes',
    'kubevirt_migrate_vmi_dirty_memory_rate_bytes',
  ],
  memoryRate: [
    'kubevirt_vmi_migration_memory_transfer_rate_bytes',
    'kubevirt_migrate_vmi_memory_transfer_rate_bytes',
  ],
  diskRate: [
    'kubevirt_vmi_migration_disk_transfer_rate_bytes',
    'kubevirt_migrate_vmi_disk_transfer_rate_bytes',
  ],
} as const satisfies Record<string, readonly string[]>

/** What KubeVirt has no metric for; only the lab serves these. Labels namespace, name, uid (of the migration). */
export const LAB_COPY_METRICS = {
  rounds: 'kubectl_mig_lab_migration_rounds',
  downtimeSeconds: 'kubectl_mig_lab_migration_downtime_seconds',
  transferredBytes: 'kubectl_mig_lab_migration_transferred_bytes',
  verified: 'kubectl_mig_lab_migration_verified',
} as const

/** How virt-handler's metrics are reached through the API server (§6.3): its pod's name is the DaemonSet's choice. */
export const HANDLER_SELECTOR = 'kubevirt.io=virt-handler'
/** Where virt-handler serves its metrics. */
export const HANDLER_PORT = 8443

export function handlerMetricsPath(namespace: string, pod: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/https:${encodeURIComponent(pod)}:${HANDLER_PORT}/proxy/metrics`
}

export interface MetricSample {
  name: string
  labels: Record<string, string>
  value: number
  /** ms since the epoch, where the line has one. */
  at: number | undefined
}

/**
 * Reads the Prometheus text format: only the lines of the metrics that are asked for. Lines that are none are passed over.
 */
export function parseMetrics(text: string, names: ReadonlySet<string>): MetricSample[] {
  const samples: MetricSample[] = []
  for (const line of text.split('\n')) {
    const match = LINE.exec(line)
    if (!match || !names.has(match[1]!)) continue
    const value = numberOf(match[3]!)
    if (value === undefined) continue
    samples.push({
      name: match[1]!,
      labels: labelsOf(match[2] ?? ''),
      value,
      at: match[4] === undefined ? undefined : Number(match[4]),
    })
  }
  return samples
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+(-?\d+))?\s*$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name, value]) => [name!, unescaped(value!)]),
  )
}

function unescaped(value: string): string {
  return value.replace(/\\(.)/g, (_, char) => (char === 'n' ? '\n' : char))
}

/** Infinities and NaN are no measurement. */
function numberOf(text: string): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}
