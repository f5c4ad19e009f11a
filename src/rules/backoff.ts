import { ANNOTATION } from '../kubevirt/labels.ts'
import { enteredAt, phaseOf } from '../kubevirt/migration.ts'
import type { Migration } from '../kubevirt/types.ts'

export type BackoffDecision =
  | { wait: false }
  /** `until` and `remaining` in ms; `failures` are those in a row that made it so long. */
  | { wait: true; until: number; remaining: number; failures: Migration[] }

const FIRST_SECONDS = 20

/**
 * Must this migration of an evacuation or a workload update wait because its predecessors failed? 20 s, doubled by each
 * failure in a row, from the moment the last one failed; what a person starts is never delayed
 * (fact sheet control-plane.md §2.8).
 */
export function backoffOf(
  migration: Migration,
  migrations: readonly Migration[],
  now: number,
): BackoffDecision {
  if (migration.metadata.annotations?.[ANNOTATION.ignoreBackoff] !== undefined)
    return { wait: false }
  if (!isAutomatic(migration)) return { wait: false }
  const [newest, ...others] = migrations
    .filter((other) => isAutomatic(other) && isOfSameVm(other, migration))
    .sort(newestFirst)
  if (newest?.metadata.uid !== migration.metadata.uid) return { wait: false }

  const sinceSuccess = others.findIndex((other) => phaseOf(other) === 'Succeeded')
  const failures = (sinceSuccess < 0 ? others : others.slice(0, sinceSuccess)).filter(
    (other) => phaseOf(other) === 'Failed' && other.metadata.deletionTimestamp === undefined,
  )
  const last = others[0]
  const failedAt = last && enteredAt(last, 'Failed')
  if (failures.length === 0 || failedAt === undefined) return { wait: false }
  const until = failedAt + FIRST_SECONDS * 1000 * 2 ** (failures.length - 1)
  return now < until ? { wait: true, until, remaining: until - now, failures } : { wait: false }
}

/** Made by the evacuation controller or the workload updater. */
export function isAutomatic({ metadata: { annotations } }: Migration): boolean {
  return (
    annotations?.[ANNOTATION.evacuationMigration] !== undefined ||
    annotations?.[ANNOTATION.workloadUpdateMigration] !== undefined
  )
}

function isOfSameVm(a: Migration, b: Migration): boolean {
  return a.metadata.namespace === b.metadata.namespace && a.spec.vmiName === b.spec.vmiName
}

function newestFirst(a: Migration, b: Migration): number {
  return (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? '')
}
