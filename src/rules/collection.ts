import { isFinal } from '../kubevirt/migration.ts'
import type { Migration } from '../kubevirt/types.ts'

/** How many finished migrations of one VM KubeVirt keeps. */
const KEPT = 5

export interface Collected {
  migration: Migration
  /** The launcher pod that it left behind and that goes with it: the target of one that failed, else the source. */
  pod: string | undefined
}

/**
 * Which finished migrations of a VM are deleted when one more ends (fact sheet control-plane.md §2.12)? All but the newest
 * five; there is no limit by age.
 */
export function collectable(migrations: readonly Migration[], vmiName: string): Collected[] {
  return migrations
    .filter(
      (migration) =>
        migration.spec.vmiName === vmiName &&
        isFinal(migration) &&
        migration.metadata.deletionTimestamp === undefined,
    )
    .sort(newestFirst)
    .slice(KEPT)
    .map((migration) => ({ migration, pod: leftoverPod(migration) }))
}

function leftoverPod(migration: Migration): string | undefined {
  const state = migration.status?.migrationState
  if (state?.failed) return state.targetPod
  return state?.completed ? state.sourcePod : undefined
}

function newestFirst(a: Migration, b: Migration): number {
  return (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? '')
}
