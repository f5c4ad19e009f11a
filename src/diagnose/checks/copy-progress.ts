import { timeOf } from '../../kubevirt/migration.ts'
import type { EvidenceItem } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { plural } from '../words.ts'
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

/** The two are so near to each other that which is the faster is not sure. */
export function isClose({ dirtyMbps, bandwidthMbps }: Rates): boolean {
  return Math.abs(dirtyMbps - bandwidthMbps) <= (1 - NEARLY) * bandwidthMbps + 1e-9
}

/** QEMU knows how fast the guest dirties once it has looked a second time: before that its 0 says nothing. */
export function isDirtyKnown(last: Progress): boolean {
  const { iteration, processedMiB, totalMiB } = last
  return last.dirtyMbps > 0 || (iteration === undefined ? processedMiB > totalMiB : iteration > 1)
}

/** It was aborted, and all memory had been sent twice: whatever the rates of the moment were, it went in circles. */
export function wentInCircles(last: Progress): boolean {
  return isLosing(last) || (last.totalMiB > 0 && last.processedMiB >= 2 * last.totalMiB)
}

type Rates = Pick<Progress, 'dirtyMbps' | 'bandwidthMbps'>

/** Both rates, in words that fit them. */
export function ratesSentence(last: Progress): string {
  const { dirtyMbps, bandwidthMbps } = last
  if (isLosing(last) && dirtyMbps < bandwidthMbps)
    return `the guest dirties ${dirtyMbps} Mbps, about as fast as the ${bandwidthMbps} Mbps that are copied`
  return isLosing(last)
    ? `the guest dirties ${dirtyMbps} Mbps, ${bandwidthMbps} Mbps are copied`
    : `${timesSent(last)} was sent, and it was not done`
}

function timesSent({ processedMiB, totalMiB }: Progress): string {
  return `${(processedMiB / totalMiB).toFixed(1)} times its memory`
}

export function progressSentence(last: Progress): string {
  const { processedMiB, totalMiB, remainingMiB, iteration, dirtyMbps, bandwidthMbps } = last
  const times =
    totalMiB > 0 ? ` (${(processedMiB / totalMiB).toFixed(1)} times its ${totalMiB} MiB)` : ''
  const known = isDirtyKnown(last)
  const ever = isLosing(last)
    ? dirtyMbps >= bandwidthMbps
      ? 'so it can never finish as it is'
      : 'so it hardly gets on, and may never finish as it is'
    : bandwidthMbps > 0
      ? `${known ? 'about' : 'at least'} ${secondsLeft(last)} s more were needed`
      : 'and nothing flows'
  const passes = iteration === undefined ? '' : `After ${plural(iteration, 'pass', 'passes')} `
  const dirty = known
    ? `dirty rate ${dirtyMbps} Mbps against ${bandwidthMbps} Mbps of bandwidth`
    : `${bandwidthMbps} Mbps of bandwidth, the dirty rate is not known before all was sent once`
  return `${passes}${processedMiB} MiB were sent${times}, ${remainingMiB} MiB remain; ${dirty}, ${ever}`
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
  const isKnown = dirtyMbps > 0 || copy.processedBytes > (copy.totalBytes ?? 0)
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
        value: `${mib(copy.remainingBytes)} MiB remain, ${bandwidthMbps} Mbps are copied, ${isKnown ? `${dirtyMbps} Mbps dirtied` : 'how many are dirtied is not known yet'}`,
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
