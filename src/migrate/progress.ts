import {
  COPY_METRICS,
  LAB_COPY_METRICS,
  type MetricSample,
  parseMetrics,
} from '../kubevirt/metrics.ts'

/** One look at a running copy. Sizes in bytes, rates in bytes a second, `at` in ms; undefined is what was not said. */
export interface CopyProgress {
  at: number
  totalBytes?: number
  /** All that was sent, pages that were sent again included. */
  processedBytes?: number
  /** What the target lacks, or has no longer as it is. */
  remainingBytes?: number
  dirtyRate?: number
  /** Memory and disks together. */
  transferRate?: number
  /** The rates of the last looks, this one's the last. */
  recentRates?: readonly number[]
}

/** What only the lab tells of a finished copy. */
export interface FinishedCopy {
  rounds?: number
  downtimeSeconds?: number
  transferredBytes?: number
  verified?: boolean
}

export interface CopyOf {
  namespace: string
  vmi: string
  migrationUid: string
  /** ms; a sample from before is another migration's. Undefined: the copy has not begun. */
  startedAt: number | undefined
}

const PROGRESS_NAMES: ReadonlySet<string> = new Set(Object.values(COPY_METRICS).flat())
const FINISHED_NAMES: ReadonlySet<string> = new Set(Object.values(LAB_COPY_METRICS))

/**
 * The newest progress of a copy in virt-handler's metrics: one answer may hold several samples of a series, each with
 * its time (fact sheet data-plane.md §6.1). Series have no migration in their labels, so an old sample is known by its
 * time alone.
 * @returns undefined when there is none
 */
export function progressOf(metrics: string, of: CopyOf, now: number): CopyProgress | undefined {
  if (of.startedAt === undefined) return undefined
  // Timestamps of Kubernetes are whole seconds.
  const from = Math.floor(of.startedAt / 1000) * 1000
  const samples = parseMetrics(metrics, PROGRESS_NAMES).filter(
    ({ labels, at }) =>
      labels['namespace'] === of.namespace &&
      labels['name'] === of.vmi &&
      (at === undefined || at >= from),
  )
  if (samples.length === 0) return undefined
  const newest = (names: readonly string[]) =>
    names
      .map((name) => newestOf(samples.filter((sample) => sample.name === name)))
      .find((sample) => sample !== undefined)
  const memory = newest(COPY_METRICS.memoryRate)?.value
  const disk = newest(COPY_METRICS.diskRate)?.value
  return {
    at: newestOf(samples)?.at ?? now,
    ...defined({
      totalBytes: newest(COPY_METRICS.totalBytes)?.value,
      processedBytes: newest(COPY_METRICS.processedBytes)?.value,
      remainingBytes: newest(COPY_METRICS.remainingBytes)?.value,
      dirtyRate: newest(COPY_METRICS.dirtyRate)?.value,
      transferRate: memory === undefined ? disk : memory + (disk ?? 0),
    }),
  }
}

/** What the lab says of this migration's finished copy; undefined anywhere else. */
export function finishedCopyOf(metrics: string, of: CopyOf): FinishedCopy | undefined {
  const samples = parseMetrics(metrics, FINISHED_NAMES).filter(
    ({ labels }) => labels['uid'] === of.migrationUid,
  )
  if (samples.length === 0) return undefined
  const value = (name: string) => newestOf(samples.filter((sample) => sample.name === name))?.value
  const verified = value(LAB_COPY_METRICS.verified)
  return defined({
    rounds: value(LAB_COPY_METRICS.rounds),
    downtimeSeconds: value(LAB_COPY_METRICS.downtimeSeconds),
    transferredBytes: value(LAB_COPY_METRICS.transferredBytes),
    verified: verified === undefined ? undefined : verified === 1,
  })
}

/** How much of the guest is on the target as it is, 0 to 1; undefined when sizes are not known. */
export function doneOf({ totalBytes, remainingBytes }: CopyProgress): number | undefined {
  if (!totalBytes || remainingBytes === undefined) return undefined
  return Math.min(1, Math.max(0, 1 - remainingBytes / totalBytes))
}

export interface Estimate {
  minMs: number
  /** Undefined when pages are dirtied as fast as they are sent: at these rates it never ends. */
  maxMs: number | undefined
}

/**
 * When the copy may end: at best it goes as fast as it lately did and nothing more is dirtied, at worst as slowly as it
 * lately did and the guest goes on as it does.
 * @returns undefined when what remains or the rate is not known
 */
export function estimateOf(progress: CopyProgress): Estimate | undefined {
  const { remainingBytes, dirtyRate = 0 } = progress
  const rate = rateRangeOf(progress)
  if (remainingBytes === undefined || !rate?.max) return undefined
  const converging = rate.min - dirtyRate
  return {
    minMs: (remainingBytes / rate.max) * 1000,
    maxMs: converging > 0 ? (remainingBytes / converging) * 1000 : undefined,
  }
}

/** How fast it lately went, in bytes a second. */
export function rateRangeOf({
  transferRate,
  recentRates,
}: CopyProgress): { min: number; max: number } | undefined {
  const rates = recentRates ?? (transferRate === undefined ? [] : [transferRate])
  return rates.length === 0 ? undefined : { min: Math.min(...rates), max: Math.max(...rates) }
}

/** Looks that a range of rates spans: a few seconds. */
const LOOKS = 5

/** With the rate from two looks where the release has no metric for it, and with the rates of the looks before. */
export function withRate(progress: CopyProgress, before: CopyProgress | undefined): CopyProgress {
  const transferRate = progress.transferRate ?? rateBetween(before, progress)
  if (transferRate === undefined) return progress
  const recentRates = [...(before?.recentRates ?? []), transferRate].slice(-LOOKS)
  return { ...progress, transferRate, recentRates }
}

function rateBetween(before: CopyProgress | undefined, after: CopyProgress): number | undefined {
  if (!before) return undefined
  const bytes = (after.processedBytes ?? NaN) - (before.processedBytes ?? NaN)
  const ms = after.at - before.at
  return bytes >= 0 && ms > 0 ? (bytes / ms) * 1000 : undefined
}

/** Without a time it is as new as the answer. */
function newestOf(samples: MetricSample[]): MetricSample | undefined {
  return samples.reduce<MetricSample | undefined>(
    (best, sample) => (best && (best.at ?? Infinity) > (sample.at ?? Infinity) ? best : sample),
    undefined,
  )
}

function defined<T extends Record<string, unknown>>(values: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Defined<T>
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }
