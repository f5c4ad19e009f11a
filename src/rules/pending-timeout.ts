import { ANNOTATION } from '../kubevirt/labels.ts'
import { conditionOf, timeOf } from '../kubevirt/migration.ts'
import type { Migration, Pod } from '../kubevirt/types.ts'

/** How a pending target pod stands against KubeVirt's two time limits; all times in ms. */
export type PendingTimeout =
  | { pending: false }
  | {
      pending: true
      unschedulable: boolean
      /** The nearer of the limits that apply. */
      limit: 'unschedulable' | 'pending'
      deadline: number
      /** Not positive once it is over: the pod is deleted and the migration fails. */
      remaining: number
      expired: boolean
    }

const UNSCHEDULABLE_SECONDS = 300
const PENDING_SECONDS = 900

/**
 * When does a pending target pod time out? Counted from the pod's creation; annotations of the migration may shorten or
 * lengthen it while it waits (fact sheet control-plane.md §2.8).
 */
export function pendingTimeout(migration: Migration, pod: Pod, now: number): PendingTimeout {
  if (pod.status?.phase !== undefined && pod.status.phase !== 'Pending') return { pending: false }
  const created = timeOf(pod.metadata.creationTimestamp) ?? now
  const unschedulable = isUnschedulable(pod)
  const limits = limitsOf(migration)
  const ends = {
    pending: created + limits.pending,
    unschedulable: created + limits.unschedulable,
  }
  // Where both are over, the unschedulable one is named.
  const nearer = ends.unschedulable <= ends.pending || now >= ends.unschedulable
  const limit = unschedulable && nearer ? 'unschedulable' : 'pending'
  const deadline = ends[limit]
  return {
    pending: true,
    unschedulable,
    limit,
    deadline,
    remaining: deadline - now,
    expired: now >= deadline,
  }
}

/** Both limits in ms. What is no whole number is as if it were not there. */
export function limitsOf(migration: Migration): { unschedulable: number; pending: number } {
  const annotations = migration.metadata.annotations ?? {}
  return {
    unschedulable: seconds(annotations[ANNOTATION.unschedulableTimeout], UNSCHEDULABLE_SECONDS),
    pending: seconds(annotations[ANNOTATION.pendingTimeout], PENDING_SECONDS),
  }
}

function isUnschedulable(pod: Pod): boolean {
  const scheduled = conditionOf(pod, 'PodScheduled')
  return scheduled?.status === 'False' && scheduled.reason === 'Unschedulable'
}

function seconds(text: string | undefined, otherwise: number): number {
  return 1000 * (text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : otherwise)
}
