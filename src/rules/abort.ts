import { isFinal, phaseOf } from '../kubevirt/migration.ts'
import type { Migration } from '../kubevirt/types.ts'

/** What deleting a migration does, by the phase it is in. */
export type AbortDecision =
  /** Its target pod is deleted and it fails at once. */
  | { effect: 'immediate' }
  /** Nothing but a condition until the copy runs: KubeVirt ignores a deletion between hand-off and Running. */
  | { effect: 'deferred'; until: 'Running' }
  /** The source is asked to stop the copy; it may end all the same. */
  | { effect: 'requested' }
  /** It has ended: only its record goes. */
  | { effect: 'history' }

/** What does a cancel do now (fact sheet control-plane.md §2.10)? */
export function abortOf(migration: Migration, handedOff: boolean): AbortDecision {
  if (isFinal(migration)) return { effect: 'history' }
  const phase = phaseOf(migration)
  if (phase === 'Running') return { effect: 'requested' }
  if (handedOff || phase === 'PreparingTarget' || phase === 'TargetReady')
    return { effect: 'deferred', until: 'Running' }
  return { effect: 'immediate' }
}
