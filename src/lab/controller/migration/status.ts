import { hasPersistentState } from '../../../kubevirt/backend-storage.ts'
import { sameValue } from '../../../kubevirt/equality.ts'
import { conditionOf } from '../../../kubevirt/migration.ts'
import { timestamp } from '../../../kubevirt/time.ts'
import { targetStateClaim } from '../../../rules/backend-storage.ts'
import { type PendingBlock, pendingBlock } from '../../../rules/pending-block.ts'
import { transitionOf } from '../../../rules/transitions.ts'
import type { Note } from './actions.ts'
import {
  ABORT_REQUESTED,
  BLOCKED_BY_BACKUP,
  BLOCKED_BY_PEER,
  BLOCKED_BY_UTILITY_VOLUMES,
  REJECTED_BY_QUOTA,
  type Status,
  withCondition,
  withoutCondition,
} from './conditions.ts'
import type { Situation } from './situation.ts'

export interface StatusUpdate {
  /** Undefined when it stays as it is. */
  status: Status | undefined
  notes: Note[]
}

/**
 * The next status: at most one phase further (fact sheet control-plane.md §2.4). `error` is what the pass failed with.
 * @param recovered it broke off, but the guest had gone over; it is told as a failure all the same
 */
export function statusFor(
  situation: Situation,
  error: string | undefined,
  now: number,
  recovered = false,
): StatusUpdate {
  const before: Status = situation.migration.status ?? {}
  const { status: next, notes } = nextStatus(situation, error, now, recovered)
  const status = withPeer(next, situation, now)
  return { status: sameValue(before, status) ? undefined : status, notes }
}

function nextStatus(
  situation: Situation,
  error: string | undefined,
  now: number,
  recovered: boolean,
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
      const canceled = transition.cause === 'canceled'
      const status = canceled ? withCondition(before, ABORT_REQUESTED, now) : before
      return fail(status, transition.message, now, recovered ? 'Succeeded' : 'Failed')
    }
    case 'request-abort':
      return { status: withCondition(before, ABORT_REQUESTED, now), notes: [] }
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
      return progress(situation, transition.to, error, now)
    case 'stay':
      return progress(situation, undefined, error, now)
  }
}

/** To the next phase or not; Pending has its conditions, and one of them may hold it there or end it. */
function progress(
  situation: Situation,
  to: string | undefined,
  error: string | undefined,
  now: number,
): { status: Status; notes: Note[] } {
  const { migration, vmi, kubevirt, targetPod } = situation
  const before: Status = migration.status ?? {}
  const after = to === undefined ? before : enter(before, to, now)
  if (before.phase === 'Scheduling')
    return { status: withoutCondition(after, REJECTED_BY_QUOTA), notes: [] }
  if (before.phase !== 'Pending')
    return { status: after.phase === 'Pending' ? withSource(after, situation) : after, notes: [] }

  const block = pendingBlock(migration, vmi, kubevirt, now)
  if (block?.by === 'utility-volumes' && block.expired) return fail(before, block.message, now)
  const status = withBlock(block ? before : after, block, now)
  const refused = !block && !targetPod && error?.includes('exceeded quota')
  const rejected = refused ? withCondition(status, REJECTED_BY_QUOTA, now) : status
  return {
    status: rejected.phase === 'Pending' ? withSource(rejected, situation) : rejected,
    notes: [],
  }
}

/** Utility volumes are looked at only when no backup runs. */
function withBlock(status: Status, block: PendingBlock | undefined, now: number): Status {
  if (block?.by === 'backup')
    return withCondition(status, { ...BLOCKED_BY_BACKUP, message: block.message }, now)
  const free = withoutCondition(status, BLOCKED_BY_BACKUP)
  return block
    ? withCondition(free, { ...BLOCKED_BY_UTILITY_VOLUMES, message: block.message }, now)
    : withoutCondition(free, BLOCKED_BY_UTILITY_VOLUMES)
}

/** What concerns a migration between clusters: what the peer is missing, and where this cluster is reached. */
function withPeer(status: Status, { vmi, kubevirt }: Situation, now: number): Status {
  const failure = conditionOf(vmi, 'DecentralizedLiveMigrationFailure')
  const { reason, message } = failure ?? {}
  const blocked = failure
    ? withCondition(
        status,
        { ...BLOCKED_BY_PEER, ...(reason ? { reason } : {}), ...(message ? { message } : {}) },
        now,
      )
    : withoutCondition(status, BLOCKED_BY_PEER)
  const { synchronizationAddresses: _, ...rest } = blocked
  const addresses = kubevirt?.status?.['synchronizationAddresses'] as string[] | undefined
  return addresses ? { ...rest, synchronizationAddresses: addresses } : rest
}

/** As long as it is Pending: it may yet be another one. */
function withSource(status: Status, situation: Situation): Status {
  const pod = situation.sourcePod?.metadata.name
  const claims = stateClaimNames(situation)
  if (pod === undefined && !claims) return status
  const migrationState = { ...status.migrationState, ...(pod ? { sourcePod: pod } : {}), ...claims }
  return { ...status, migrationState }
}

/** Of the VM's TPM and EFI, as soon as the target has one. */
function stateClaimNames({ migration, vmi, claims, storage }: Situation) {
  if (!hasPersistentState(vmi)) return undefined
  const found = targetStateClaim(vmi, migration, claims, storage)
  return found.kind === 'existing'
    ? {
        sourcePersistentStatePVCName: found.source,
        targetPersistentStatePVCName: found.target.metadata.name,
      }
    : undefined
}

function fail(
  status: Status,
  message: string,
  now: number,
  phase = 'Failed',
): { status: Status; notes: Note[] } {
  const note: Note = { on: 'migration', type: 'Warning', reason: 'FailedMigration', message }
  return { status: enter(status, phase, now), notes: [note] }
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
