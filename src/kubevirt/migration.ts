import type { Condition, Migration, MigrationState, Vmi } from './types.ts'

/** Phases of a local migration in order; the unset phase comes before all (fact sheet control-plane.md §1.3). */
export const PHASES = [
  '',
  'Pending',
  'Scheduling',
  'Scheduled',
  'PreparingTarget',
  'TargetReady',
  'Running',
  'Succeeded',
  'Failed',
] as const

/** "" for a migration that no controller has looked at; a phase of a newer release comes through as it is. */
export function phaseOf(migration: Migration): string {
  return migration.status?.phase ?? ''
}

export function isFinal(migration: Migration): boolean {
  const phase = phaseOf(migration)
  return phase === 'Succeeded' || phase === 'Failed'
}

/**
 * The state of this very migration: from the VMI's one slot when that slot is this migration's, else from the
 * migration's own status. Undefined before hand-off. Nothing of another migration is ever returned (design.md §4).
 */
export function stateOf(migration: Migration, vmi: Vmi | undefined): MigrationState | undefined {
  const uid = migration.metadata.uid
  const slot = vmi?.status?.migrationState
  if (slot && uid !== undefined && slot.migrationUid === uid) return slot
  const own = migration.status?.migrationState
  return own?.migrationUid === uid ? own : undefined
}

/** As both virt-handlers see it: nothing more is to be done for it but to clean up (fact sheet data-plane.md §3.2). */
export function isStateOver(state: MigrationState): boolean {
  return !!state.endTimestamp && !!(state.completed || state.failed)
}

/** When a phase was first entered, in ms; undefined when it was not, or the release does not say. */
export function enteredAt(migration: Migration, phase: string): number | undefined {
  if (phase === '') return timeOf(migration.metadata.creationTimestamp)
  const entry = migration.status?.phaseTransitionTimestamps?.find((t) => t.phase === phase)
  return timeOf(entry?.phaseTransitionTimestamp)
}

/** An RFC 3339 time in ms since the epoch; undefined for what is absent or no time. */
export function timeOf(text: string | null | undefined): number | undefined {
  if (!text) return undefined
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}

export function conditionOf(
  object: { status?: { conditions?: Condition[] } } | undefined,
  type: string,
): Condition | undefined {
  return object?.status?.conditions?.find((condition) => condition.type === type)
}

export interface PublishedPort {
  /** The real TCP port on the target. */
  port: number
  /** 0, 49152 or 49153; another number of a newer release comes through as it is. */
  label: number
}

/** The target's port map, ordered by label; entries that are no numbers are left out (fact sheet data-plane.md §1.8). */
export function publishedPorts(state: MigrationState | undefined): PublishedPort[] {
  return Object.entries(state?.targetDirectMigrationNodePorts ?? {})
    .map(([port, label]) => ({ port: Number(port), label: Number(label) }))
    .filter(({ port, label }) => Number.isInteger(port) && Number.isInteger(label))
    .sort((a, b) => a.label - b.label || a.port - b.port)
}
