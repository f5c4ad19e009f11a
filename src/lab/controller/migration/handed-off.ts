import { isPodFinal } from '../../../kubevirt/pods.ts'
import type { Action } from './actions.ts'
import { markFailed } from './mark-failed.ts'
import type { Situation } from './situation.ts'

/**
 * PreparingTarget and TargetReady: virt-handler's turn. Only a target pod that goes down before the copy began is acted
 * on; a deletion is not, until Running (§2.5).
 */
export function handedOff(situation: Situation, now: number): Action[] {
  const { targetPod, vmi } = situation
  const down = !targetPod || isPodFinal(targetPod)
  const state = vmi.status?.migrationState
  return down && !state?.startTimestamp ? markFailed(situation, now) : []
}
