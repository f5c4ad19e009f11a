import type { EvidenceItem } from '../finding.ts'
import type { Said, Subject } from '../subject.ts'
import { evidenceOf } from './texts.ts'

export interface Progress {
  elapsedMs: number
  processedMiB: number
  remainingMiB: number
  totalMiB: number
  bandwidthMbps: number
  dirtyMbps: number
  iteration: number
  said: Said
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
      said,
    }
    return Number.isFinite(progress.elapsedMs) ? [progress] : []
  })
}

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
  const ever =
    dirtyMbps >= bandwidthMbps
      ? 'so it can never finish as it is'
      : bandwidthMbps > 0
        ? `about ${Math.ceil((remainingMiB * 8.39) / Math.max(1, bandwidthMbps - dirtyMbps))} s more were needed`
        : 'and nothing flows'
  return `After ${iteration} passes ${processedMiB} MiB were sent${times}, ${remainingMiB} MiB remain; dirty rate ${dirtyMbps} Mbps against ${bandwidthMbps} Mbps of bandwidth, ${ever}`
}

export function progressEvidence(last: Progress | undefined): EvidenceItem[] {
  return last ? evidenceOf([last.said], 1) : []
}
