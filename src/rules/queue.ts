import { isFinal, phaseOf } from '../kubevirt/migration.ts'
import type { Migration, Pod } from '../kubevirt/types.ts'
import { runningMigrations } from './capacity.ts'

/** Priorities of KubeVirt's work queue (fact sheet control-plane.md §2.2). */
export const PRIORITY = {
  running: 1000,
  systemCritical: 100,
  userTriggered: 50,
  systemMaintenance: 20,
  none: 0,
} as const

/** Users may not set one, so what a person starts ranks lowest. */
export function priorityOf(migration: Migration): number {
  switch (migration.spec.priority) {
    case 'system-critical':
      return PRIORITY.systemCritical
    case 'user-triggered':
      return PRIORITY.userTriggered
    case 'system-maintenance':
      return PRIORITY.systemMaintenance
    default:
      return PRIORITY.none
  }
}

/** How long one that found no slot waits before it asks again, in ms. */
export function pollInterval(priority: number): number {
  if (priority >= PRIORITY.systemCritical) return 1000
  return priority >= PRIORITY.userTriggered ? 3000 : 5000
}

/** Who waits beside it. Among equals KubeVirt promises no order, so there is no place in a line: only a range. */
export interface QueueStanding {
  priority: number
  /** These go first whenever both find a free slot. */
  above: Migration[]
  /** Any of these may go first. */
  competing: Migration[]
}

/** How does this waiting migration stand among the others that wait for a slot, in all namespaces? */
export function standingOf(
  migration: Migration,
  migrations: readonly Migration[],
  pods: readonly Pod[],
): QueueStanding {
  const priority = priorityOf(migration)
  const running = new Set(runningMigrations({ migrations, pods }).map(uidOf))
  const waiting = migrations.filter(
    (other) =>
      uidOf(other) !== uidOf(migration) &&
      !isFinal(other) &&
      ['', 'Pending'].includes(phaseOf(other)) &&
      !running.has(uidOf(other)),
  )
  return {
    priority,
    above: waiting.filter((other) => priorityOf(other) > priority),
    competing: waiting.filter((other) => priorityOf(other) === priority),
  }
}

/** Which waiting ones are woken when a migration ends: as many as the cluster allows, the highest priority first. */
export function wokenBy(
  ended: Migration,
  migrations: readonly Migration[],
  limit: number,
): Migration[] {
  return migrations
    .filter((other) => uidOf(other) !== uidOf(ended) && phaseOf(other) === 'Pending')
    .sort((a, b) => priorityOf(b) - priorityOf(a))
    .slice(0, limit)
}

function uidOf(migration: Migration): string {
  return migration.metadata.uid ?? `${migration.metadata.namespace}/${migration.metadata.name}`
}
