import { ANNOTATION } from '../../../kubevirt/labels.ts'
import { goTime } from '../../../kubevirt/time.ts'
import { separateClaims } from '../../../rules/backend-storage.ts'
import { type Action, pointer } from './actions.ts'
import type { Situation } from './situation.ts'

/** The copy runs: a deletion asks the source to stop it, and the target pod is told when its domain is up. */
export function running(situation: Situation): Action[] {
  return [...readyActions(situation), ...abortActions(situation)]
}

function abortActions({ migration, vmi }: Situation): Action[] {
  const state = vmi.status?.migrationState
  if (!migration.metadata.deletionTimestamp || state?.migrationUid !== migration.metadata.uid)
    return []
  if (state?.abortRequested || state?.completed) return []
  return [
    {
      do: 'abort',
      patch: [
        {
          op: 'test',
          path: '/status/migrationState/migrationUid',
          value: migration.metadata.uid,
        },
        { op: 'add', path: '/status/migrationState/abortRequested', value: true },
      ],
    },
  ]
}

/** Before the end is looked at, in the same pass (control-plane.md §10). */
function readyActions({ migration, vmi, targetPod }: Situation): Action[] {
  const state = vmi.status?.migrationState
  const time = state?.targetNodeDomainReadyTimestamp
  if (!targetPod || !time || state?.migrationUid !== migration.metadata.uid) return []
  if (targetPod.metadata.annotations?.[ANNOTATION.targetReadyTimestamp] !== undefined) return []
  const path = pointer('metadata', 'annotations', ANNOTATION.targetReadyTimestamp)
  const claims: Action[] = separateClaims(migration) ? [{ do: 'hand-over-state' }] : []
  return [
    ...claims,
    { do: 'patch-target-pod', patch: [{ op: 'add', path, value: goTime(Date.parse(time)) }] },
  ]
}
