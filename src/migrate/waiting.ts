import { phaseOf } from '../kubevirt/migration.ts'
import type { Migration, Vmi } from '../kubevirt/types.ts'
import { type CapacityDecision, type ClusterView, capacityFor } from '../rules/capacity.ts'
import { pendingTimeout } from '../rules/pending-timeout.ts'
import { type QueueStanding, standingOf } from '../rules/queue.ts'
import type { Observed } from './observed.ts'

/** How a migration that has no target pod yet stands for a slot. There are no positions in KubeVirt's queue. */
export type Waiting = CapacityDecision & { standing: QueueStanding }

export function waitingFor(view: ClusterView, migration: Migration, vmi: Vmi | undefined): Waiting {
  return {
    ...capacityFor(view, vmi?.status?.nodeName),
    standing: standingOf(migration, view.migrations, view.pods),
  }
}

/** KubeVirt itself says nothing of why it waits: no condition, no event (fact sheet control-plane.md §2.6). */
export function isWaiting({ migration, targetPod, gone }: Observed): boolean {
  return !gone && phaseOf(migration) === 'Pending' && targetPod === undefined
}

/**
 * KubeVirt counts it already, by its target pod, though its phase is Pending still: what the limits say then holds others,
 * not it.
 */
export function hasSlot({ migration, waiting }: Observed): boolean {
  const holders = (waiting?.admit ? waiting.cluster.by : waiting?.by) ?? []
  return holders.some(({ metadata }) => metadata.uid === migration.metadata.uid)
}

/**
 * When KubeVirt gives up on a target pod that no node can take; undefined for any other. ms since the epoch.
 */
export function givesUpAt({ migration, targetPod }: Observed, now: number): number | undefined {
  if (!targetPod) return undefined
  const timeout = pendingTimeout(migration, targetPod, now)
  return timeout.pending && timeout.unschedulable ? timeout.deadline : undefined
}
