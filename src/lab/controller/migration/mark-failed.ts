import { timestamp } from '../../../kubevirt/time.ts'
import { halfOf } from '../../../rules/decentralized.ts'
import type { Action, PatchOperation } from './actions.ts'
import type { Situation } from './situation.ts'

const REASON = 'Target pod is down'

/**
 * Writes the failure into the VMI's slot, if the slot is this migration's.
 *
 * KubeVirt tries it for a migration that failed before hand-off too, against the slot of an earlier one, and so in vain
 * and for ever (422 by the test of the uid, control-plane.md §10). That helps nobody and is not done here.
 */
export function markFailed({ migration, vmi }: Situation, now: number): Action[] {
  const state = vmi.status?.migrationState
  const { uid } = migration.metadata
  // The target pod is another cluster's.
  if (halfOf(migration) === 'source') return []
  if (!state || state.migrationUid !== uid || state.failed) return []
  const time = timestamp(now)
  const path = (field: string) => `/status/migrationState/${field}`
  const patch: PatchOperation[] = [
    { op: 'test', path: path('migrationUid'), value: uid },
    { op: 'add', path: path('failed'), value: true },
    { op: 'add', path: path('completed'), value: true },
  ]
  if (!state.endTimestamp) patch.push({ op: 'add', path: path('endTimestamp'), value: time })
  if (!state.startTimestamp) patch.push({ op: 'add', path: path('startTimestamp'), value: time })
  if (!state.failureReason) patch.push({ op: 'add', path: path('failureReason'), value: REASON })
  const message = `VirtualMachineInstance migration uid ${uid} failed. reason: ${REASON}`
  const note = { on: 'vmi', type: 'Warning', reason: 'FailedMigration', message } as const
  return [{ do: 'patch-vmi', patch, note }]
}
