import { isFinal, phaseOf } from '../../../kubevirt/migration.ts'
import type { Action } from './actions.ts'
import { synchronizing, waitingForSync } from './halves.ts'
import { handedOff } from './handed-off.ts'
import { markFailed } from './mark-failed.ts'
import { pending } from './pending.ts'
import { running } from './running.ts'
import { scheduled } from './scheduled.ts'
import { scheduling } from './scheduling.ts'
import type { Situation } from './situation.ts'

type Phase = (situation: Situation, now: number) => Action[]

const PHASES: Record<string, Phase> = {
  WaitingForSync: waitingForSync,
  Synchronizing: synchronizing,
  Pending: pending,
  Scheduling: scheduling,
  Scheduled: scheduled,
  PreparingTarget: handedOff,
  TargetReady: handedOff,
  Running: running,
  Failed: markFailed,
}

/** What is to be done for a migration in its phase; its status is another matter (status.ts). */
export function actionsFor(situation: Situation, now: number): Action[] {
  const { migration, vmi, slotOwner } = situation
  const state = vmi.status?.migrationState
  const own = state?.migrationUid === migration.metadata.uid
  const phase = phaseOf(migration)
  if (vmi.metadata.deletionTimestamp) return []
  // The target's domain may have become ready in the very write that completed the migration.
  if (own && state?.completed) return phase === 'Running' ? running(situation) : []
  const busy = slotOwner && !own && !['Succeeded', 'Failed'].includes(phaseOf(slotOwner))
  if (busy && isFinal(migration)) return []
  if (busy && phase !== '')
    return [
      {
        do: 'give-up',
        error: 'vmi is ineligible for migration because another migration job is running',
      },
    ]
  return PHASES[phase]?.(situation, now) ?? []
}
