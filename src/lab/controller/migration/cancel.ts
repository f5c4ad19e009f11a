import { isPodFinal } from '../../../kubevirt/pods.ts'
import type { Action } from './actions.ts'
import type { Situation } from './situation.ts'

/** Deleted before hand-off: the target pod goes too, and the status says that it was canceled (§2.10). */
export function cancelActions({ targetPod }: Situation): Action[] {
  if (!targetPod || targetPod.metadata.deletionTimestamp) return []
  const { namespace, name } = targetPod.metadata
  const message = `migration canceled and pod ${namespace}/${name} is deleted`
  const note = { on: 'migration', type: 'Normal', reason: 'SuccessfulDelete', message } as const
  return [{ do: 'delete-target-pod', note }]
}

/** Deleted after hand-off, and then its target went down by itself: nothing is left to abort, so the pod goes. */
export function canceledTargetActions({ migration, targetPod }: Situation): Action[] {
  if (!migration.metadata.deletionTimestamp || !targetPod || !isPodFinal(targetPod)) return []
  const message = `Deleted canceled target pod ${targetPod.metadata.name} for migration ${migration.metadata.name}`
  const note = { on: 'migration', type: 'Normal', reason: 'SuccessfulDelete', message } as const
  return [{ do: 'delete-target-pod', note }]
}
