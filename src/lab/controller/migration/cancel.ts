import type { Action } from './actions.ts'
import type { Situation } from './situation.ts'

/** Deleted before hand-off: the target pod goes too, and the status says that it was canceled (§2.10). */
export function cancelActions({ targetPod }: Situation): Action[] {
  if (!targetPod) return []
  const { namespace, name } = targetPod.metadata
  const message = `migration canceled and pod ${namespace}/${name} is deleted`
  const note = { on: 'migration', type: 'Normal', reason: 'SuccessfulDelete', message } as const
  return [
    { do: 'delete-target-pod', note, failure: 'Error deleting canceled migration target pod' },
  ]
}
