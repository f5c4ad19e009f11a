import { sameValue } from '../../../kubevirt/equality.ts'
import { timestamp } from '../../../kubevirt/time.ts'
import type { Condition, Migration } from '../../../kubevirt/types.ts'
import { transitionOf } from '../../../rules/transitions.ts'
import type { Note } from './actions.ts'
import type { Situation } from './situation.ts'

type Status = NonNullable<Migration['status']>

export interface StatusUpdate {
  /** Undefined when it stays as it is. */
  status: Status | undefined
  notes: Note[]
}

const ABORT: Omit<Condition, 'lastProbeTime'> = { type: 'migrationAbortRequested', status: 'True' }
const QUOTA: Omit<Condition, 'lastProbeTime'> = {
  type: 'migrationRejectedByResourceQuota',
  status: 'True',
}

/** The next status: at most one phase further (fact sheet control-plane.md §2.4). `error` is what the pass failed with. */
export function statusFor(
  situation: Situation,
  error: string | undefined,
  now: number,
): StatusUpdate {
  const { migration } = situation
  const before: Status = migration.status ?? {}
  const { status, notes } = nextStatus(situation, error, now)
  return { status: sameValue(before, status) ? undefined : status, notes }
}

function nextStatus(
  situation: Situation,
  error: string | undefined,
  now: number,
): { status: Status; notes: Note[] } {
  const { migration, vmi } = situation
  const before: Status = migration.status ?? {}
  const transition = transitionOf(situation)
  switch (transition.kind) {
    case 'final': {
      const slot = vmi.status?.migrationState
      const own = slot?.migrationUid === migration.metadata.uid
      return { status: own && slot ? { ...before, migrationState: slot } : before, notes: [] }
    }
    case 'fail': {
      const canceled = transition.cause === 'canceled' ? withCondition(before, ABORT, now) : before
      const note = failed(transition.message)
      return { status: enter(canceled, 'Failed', now), notes: [note] }
    }
    case 'request-abort':
      return { status: withCondition(before, ABORT, now), notes: [] }
    case 'succeed': {
      const note: Note = {
        on: 'migration',
        type: 'Normal',
        reason: 'SuccessfulMigration',
        message: 'Source node reported migration succeeded',
      }
      return { status: enter(before, 'Succeeded', now), notes: [note] }
    }
    case 'advance':
      return {
        status: whilePending(enter(before, transition.to, now), situation, error, now),
        notes: [],
      }
    case 'stay':
      return { status: whilePending(before, situation, error, now), notes: [] }
  }
}

/** The source pod is noted while it is Pending; what a quota refused then is forgotten in Scheduling. */
function whilePending(
  status: Status,
  { migration, sourcePod, targetPod }: Situation,
  error: string | undefined,
  now: number,
): Status {
  if (migration.status?.phase === 'Scheduling') return withoutCondition(status, QUOTA.type)
  if (status.phase !== 'Pending') return status
  const noted: Status = sourcePod
    ? {
        ...status,
        migrationState: { ...status.migrationState, sourcePod: sourcePod.metadata.name },
      }
    : status
  if (targetPod || error === undefined) return noted
  return error.includes('exceeded quota') ? withCondition(noted, QUOTA, now) : noted
}

function enter(status: Status, phase: string, now: number): Status {
  const entered = status.phaseTransitionTimestamps ?? []
  return {
    ...status,
    phase,
    phaseTransitionTimestamps: entered.some((entry) => entry.phase === phase)
      ? entered
      : [...entered, { phase, phaseTransitionTimestamp: timestamp(now) }],
  }
}

function withCondition(
  status: Status,
  condition: Omit<Condition, 'lastProbeTime'>,
  now: number,
): Status {
  const conditions = status.conditions ?? []
  if (conditions.some(({ type }) => type === condition.type)) return status
  const added = { ...condition, lastProbeTime: timestamp(now), lastTransitionTime: null }
  return { ...status, conditions: [...conditions, added] }
}

function withoutCondition(status: Status, type: string): Status {
  if (!status.conditions?.some((condition) => condition.type === type)) return status
  return { ...status, conditions: status.conditions.filter((condition) => condition.type !== type) }
}

function failed(message: string): Note {
  return { on: 'migration', type: 'Warning', reason: 'FailedMigration', message }
}
