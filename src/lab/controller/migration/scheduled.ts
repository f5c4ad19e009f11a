import { isPodReady } from '../../../kubevirt/pods.ts'
import { hasHotplugVolumes } from '../../../kubevirt/volumes.ts'
import { isHandedOff } from '../../../rules/transitions.ts'
import type { Action } from './actions.ts'
import { cancelActions } from './cancel.ts'
import { handOffPatch } from './hand-off.ts'
import type { Situation } from './situation.ts'

/** The target pod is ready: the VMI's slot becomes this migration's, and virt-handler takes over. */
export function scheduled(situation: Situation): Action[] {
  const { migration, vmi, targetPod, attachmentPod } = situation
  if (isHandedOff(situation)) return []
  if (migration.metadata.deletionTimestamp) return cancelActions(situation)
  if (!targetPod || !isPodReady(targetPod)) return []
  if (hasHotplugVolumes(vmi) && !attachmentPod)
    return [{ do: 'give-up', error: 'target attachment pod not found' }]
  return [{ do: 'hand-off', patch: handOffPatch(situation, targetPod) }]
}
