import { timestamp } from '../../../kubevirt/time.ts'
import type { Condition, Migration } from '../../../kubevirt/types.ts'

export type Status = NonNullable<Migration['status']>

type Kind = Pick<Condition, 'type' | 'reason' | 'message'>

export const ABORT_REQUESTED: Kind = { type: 'migrationAbortRequested' }
export const REJECTED_BY_QUOTA: Kind = { type: 'migrationRejectedByResourceQuota' }
export const BLOCKED_BY_BACKUP: Kind = {
  type: 'migrationBlockedByBackup',
  reason: 'BackupInProgress',
}
export const BLOCKED_BY_UTILITY_VOLUMES: Kind = {
  type: 'migrationBlockedByUtilityVolumes',
  reason: 'UtilityVolumesPresent',
}

export const BLOCKED_BY_PEER: Kind = { type: 'decentralizedMigrationBlocked' }

/** True now; one that is true already keeps its message and its time, however old. */
export function withCondition(status: Status, condition: Kind, now: number): Status {
  const conditions = status.conditions ?? []
  if (conditions.some(({ type }) => type === condition.type)) return status
  const added: Condition = {
    ...condition,
    status: 'True',
    lastProbeTime: timestamp(now),
    lastTransitionTime: null,
  }
  return { ...status, conditions: [...conditions, added] }
}

export function withoutCondition(status: Status, { type }: Kind): Status {
  if (!status.conditions?.some((condition) => condition.type === type)) return status
  return { ...status, conditions: status.conditions.filter((condition) => condition.type !== type) }
}
