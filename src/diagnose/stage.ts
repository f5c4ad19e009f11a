import { PHASES } from '../kubevirt/migration.ts'
import type { Code } from './catalogue.ts'
import type { Subject } from './subject.ts'

/**
 * From which phase to which a text can be the reason why a migration stands where it stands: what refused the target pod
 * is over once there is one, and nothing of the data plane ends a migration that was never handed off.
 */
const WINDOWS: [RegExp, string, string][] = [
  [/^MIG30(01|02|03|04|05|60)/, '', 'Pending'],
  [/^MIG30(30|31|32|33|34|35)/, 'Pending', 'Scheduled'],
  [/^MIG9010/, 'Pending', 'TargetReady'],
  [/^MIG40(01|02)/, 'Scheduled', 'Scheduled'],
  [/^MIG40(03|14|15)/, 'Scheduled', 'PreparingTarget'],
  [/^MIG40(07|18)/, 'PreparingTarget', 'TargetReady'],
  [/^MIG[5678]/, 'PreparingTarget', 'Running'],
]

export function isOfStage(code: Code, subject: Subject): boolean {
  if (subject.kind !== 'migration') return true
  // What refused some request says nothing about a migration that was admitted, but that it is in the way.
  if (/^MIG10/.test(code))
    return code === 'MIG1012' && !/^(?:Failed|Succeeded)$/.test(subject.phase)
  const window = WINDOWS.find(([pattern]) => pattern.test(code))
  const reached = reachedPhase(subject)
  if (!window || reached === undefined) return true
  const at = indexOf(reached)
  return at >= indexOf(window[1]) && at <= indexOf(window[2])
}

/** The last phase that a migration was in before it ended, or is in; undefined when it does not tell. */
function reachedPhase({ phase, migration }: Subject): string | undefined {
  if (phase !== 'Failed' && phase !== 'Succeeded') return indexOf(phase) >= 0 ? phase : undefined
  const entered = (migration?.status?.phaseTransitionTimestamps ?? [])
    .map((transition) => transition.phase)
    .filter((entry) => entry !== 'Failed' && entry !== 'Succeeded' && indexOf(entry) >= 0)
  return entered.sort((a, b) => indexOf(a) - indexOf(b)).at(-1)
}

function indexOf(phase: string): number {
  return (PHASES as readonly string[]).indexOf(phase)
}
