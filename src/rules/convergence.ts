import { parseQuantity, unitsOf, ZERO } from '../kubevirt/quantity.ts'
import type { MigrationConfiguration, Vmi } from '../kubevirt/types.ts'

/** What the source's launcher does about a copy that takes its time. */
export type ConvergenceStep =
  | { step: 'none' }
  | { step: 'post-copy' }
  /** The guest is suspended so that the rest can be copied; the deadline doubles. */
  | { step: 'pause' }
  | { step: 'abort'; reason: 'stuck' | 'not-completed'; afterSeconds: number }

/** What the monitor remembers between two looks; begin with `startWatching`. */
export interface CopyWatch {
  /** ms since the epoch. */
  startedAt: number
  /** When the copy last got on, in ms since the epoch. */
  progressAt: number
  remainingBytes: number
  mode: 'PreCopy' | 'PostCopy' | 'Paused'
}

export interface CopyLimits {
  /** Seconds; 0 is no limit. */
  completionSeconds: number
  /** Seconds. */
  progressSeconds: number
  allowPostCopy: boolean
  allowWorkloadDisruption: boolean
}

/** How often the launcher looks, in ms. */
export const MONITOR_INTERVAL_MS = 400

export function startWatching(now: number): CopyWatch {
  return { startedAt: now, progressAt: now, remainingBytes: 0, mode: 'PreCopy' }
}

/** Takes note of the copy's figures: progress is any look at which less remains than at the look before (§4.4). */
export function watched(watch: CopyWatch, remainingBytes: number, now: number): CopyWatch {
  const gotOn = watch.remainingBytes === 0 || remainingBytes < watch.remainingBytes
  return { ...watch, remainingBytes, progressAt: gotOn ? now : watch.progressAt }
}

/**
 * Whether the launcher lets the copy go on, helps or aborts it: KubeVirt's convergence without stall detection, its
 * default (fact sheet data-plane.md §4.4). `now` in ms since the epoch.
 */
export function convergenceStep(
  watch: CopyWatch,
  limits: CopyLimits,
  now: number,
): ConvergenceStep {
  if (watch.mode === 'PostCopy') return { step: 'none' }
  const elapsed = Math.floor((now - watch.startedAt) / 1000)
  const factor = watch.mode === 'Paused' ? 2 : 1
  const late = limits.completionSeconds > 0 && elapsed > limits.completionSeconds * factor
  if (late && limits.allowWorkloadDisruption && watch.mode !== 'Paused')
    return { step: limits.allowPostCopy ? 'post-copy' : 'pause' }
  const still = Math.floor((now - watch.progressAt) / 1000)
  if (limits.progressSeconds > 0 && still > limits.progressSeconds)
    return { step: 'abort', reason: 'stuck', afterSeconds: still }
  return late ? { step: 'abort', reason: 'not-completed', afterSeconds: elapsed } : { step: 'none' }
}

/**
 * The limits of one migration, from the configuration that was resolved at its hand-off.
 * @param localDiskBytes what a block migration has to copy besides the memory
 */
export function copyLimits(
  configuration: MigrationConfiguration,
  vmi: Vmi,
  localDiskBytes = 0,
): CopyLimits {
  const allowPostCopy = configuration.allowPostCopy ?? false
  const perGigabyte = Number(configuration.completionTimeoutPerGiB ?? 150)
  return {
    completionSeconds: perGigabyte * gigabytesOf(vmi, localDiskBytes),
    progressSeconds: Number(configuration.progressTimeout ?? 150),
    allowPostCopy,
    allowWorkloadDisruption: configuration.allowWorkloadDisruption ?? allowPostCopy,
  }
}

/** Decimal gigabytes, rounded up, whatever the setting's name says: 1Gi counts as 2 (§4.3). */
function gigabytesOf(vmi: Vmi, localDiskBytes: number): number {
  return Math.ceil((guestMemoryBytes(vmi) + localDiskBytes) / 1e9)
}

export function guestMemoryBytes({ spec }: Vmi): number {
  const quantity = spec.domain?.memory?.guest ?? spec.domain?.resources?.requests?.['memory']
  return unitsOf(parseQuantity(quantity) ?? ZERO)
}
