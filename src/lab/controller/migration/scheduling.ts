import { halfOf } from '../../../rules/decentralized.ts'
import type { Action } from './actions.ts'
import { cancelActions } from './cancel.ts'
import { sourceTold } from './halves.ts'
import { pendingPodActions } from './pending-pod.ts'
import type { Situation } from './situation.ts'

/** The target pod exists and is not ready: it is waited for, within limits. */
export function scheduling(situation: Situation, now: number): Action[] {
  if (situation.migration.metadata.deletionTimestamp) return cancelActions(situation)
  if (halfOf(situation.migration) === 'source') return sourceTold(situation)
  return pendingPodActions(situation, now)
}
