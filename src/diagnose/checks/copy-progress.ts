import { timeOf } from '../../kubevirt/migration.ts'
import type { EvidenceItem } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { evidenceOf } from './texts.ts'

export interface Progress {
  elapsedMs: number
  processedMiB: number
  remainingMiB: number
  totalMiB: number
  bandwidthMbps: number
  dirtyMbps: number
  /** Only the launcher's log tells. */
  iteration: number | undefined
  evidence: EvidenceItem[]
}

/** The launcher's progress lines, oldest first. */
export function progressOf(subject: Subject): Progress[] {
  return subject.said.flatMap((said) => {
    if (said.row.code !== 'MIG8000') return []
    const text = said.groups.numbers ?? ''
    const number = (name: string) =>
      Number(new RegExp(`\\b${name}:(\\d+)`).exec(text)?.[1] ?? Number.NaN)
    const progress: Progress = {
      elapsedMs: number('TimeElapsed'),
      processedMiB: number('DataProcessed'),
      remainingMiB: number('DataRemaining'),
      totalMiB: number('DataTotal'),
      bandwidthMbps: number('MemoryBandwidth'),
      dirtyMbps: number('DirtyRate'),
      iteration: number('Iteration'),
      evidence: evidenceOf([said], 1),
    }
    return Number.isFinite(progress.elapsedMs) ? [progress] : []
  })
}

/** Of a copy that goes round and round both rates are the same, but for how they are measured. */
const NEARLY = 0.9

/** The guest dirties its memory as fast as that is copied. */
export function isLosing({ dirtyMbps, bandwidthMbps }: Rates): boolean {
  return dirtyMbps > 0 && dirtyMbps >= NEARLY * bandwidthMbps
}

/** It was aborted, and all memory had been sent twice: whatever the rates of the moment were, it went in circles. */
export function wentInCircles(last: Progress): boolean {
  return isLosing(last) || (last.totalMiB > 0 && last.processedMiB >= 2 * last.totalMiB)
}

type Rates = Pick<Progress, 'dirtyMbps' | 'bandwidthMbps'>

export function progressSentence({
  processedMiB,
  totalMiB,
  remainingMiB,
  iteration,
  dirtyMbps,
  bandwidthMbps,
}: Progress): string {
  const times =
    totalMiB > 0 ? ` (${(processedMiB / totalMiB).toFixed(1)} times its ${totalMiB} MiB)` : ''
  const ever = isLosing({ dirtyMbps, bandwidthMbps })
    ? 'so it can never finish as it is'
    : bandwidthMbps > 0
      ? `about ${secondsLeft({ remainingMiB, dirtyMbps, bandwidthMbps })} s more were needed`
      : 'and nothing flows'
  const passes = iteration === undefined ? '' : `After ${iteration} passes `
  return `${passes}${processedMiB} MiB were sent${times}, ${remainingMiB} MiB remain; dirty rate ${dirtyMbps} Mbps against ${bandwidthMbps} Mbps of bandwidth, ${ever}`
}

/** As the rates are now, which must not be those of a copy that is losing. */
export function secondsLeft({
  remainingMiB,
  dirtyMbps,
  bandwidthMbps,
}: Rates & Pick<Progress, 'remainingMiB'>): number {
  return Math.ceil((remainingMiB * 8.39) / Math.max(1, bandwidthMbps - dirtyMbps))
}

export function progressEvidence(last: Progress | undefined): EvidenceItem[] {
  return last?.evidence ?? []
}

/** Memory has been sent more than once, so that the rates tell something. */
export function hasGoneRound({ iteration, processedMiB, totalMiB }: Progress): boolean {
  return iteration === undefined ? processedMiB > totalMiB : iteration > 2
}

/** The same by virt-handler's metrics, which a cluster can be asked for. */
export function measuredProgress(
  { migration, state }: Subject,
  { evidence, now }: World,
): Progress | undefined {
  const copy = evidence.copies?.find(({ migrationUid }) => migrationUid === migration?.metadata.uid)
  if (!copy) return undefined
  const bandwidthMbps = mbps(copy.copyRate)
  const dirtyMbps = mbps(copy.dirtyRate)
  return {
    elapsedMs: now - (timeOf(state?.startTimestamp) ?? now),
    processedMiB: mib(copy.processedBytes),
    remainingMiB: mib(copy.remainingBytes),
    totalMiB: mib(copy.totalBytes ?? 0),
    bandwidthMbps,
    dirtyMbps,
    iteration: undefined,
    evidence: [
      {
        source: `metrics of ${copy.pod}`,
        value: `${mib(copy.remainingBytes)} MiB remain, ${bandwidthMbps} Mbps are copied, ${dirtyMbps} Mbps dirtied`,
        ...(copy.at !== undefined && { time: copy.at }),
      },
    ],
  }
}

function mib(bytes: number): number {
  return Math.round(bytes / 1024 ** 2)
}

/** With a digit below 10, where whole numbers would make different rates equal. */
function mbps(bytesPerSecond: number): number {
  const value = (bytesPerSecond * 8) / 1e6
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value)
}
