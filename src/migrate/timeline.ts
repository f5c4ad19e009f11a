import { conditionOf, enteredAt, isFinal, PHASES, phaseOf, timeOf } from '../kubevirt/migration.ts'
import { concerns, eventTime, type Observed, ownState } from './observed.ts'

export type Outcome =
  /** It goes on. */
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  /** The object vanished, and nothing is left that says how it ended. */
  | 'unknown'

export interface TimelineEntry {
  /** As KubeVirt names it; "" is the time from creation until a controller looks. */
  phase: string
  /** ms, in whole seconds of Kubernetes; undefined for a phase ahead, or whose beginning nobody recorded. */
  at: number | undefined
  /** How long it took, or takes; undefined when one end of it is not known. */
  took: Span | undefined
  state: 'done' | 'current' | 'ahead'
}

export interface Span {
  ms: number
  /** Both ends seen by this client; else from the whole seconds of Kubernetes. */
  exact: boolean
}

export interface Timeline {
  entries: TimelineEntry[]
  outcome: Outcome
  phase: string
  /** Since when it is where it is, in ms; undefined when nobody recorded it. */
  since: number | undefined
  /** From creation to the end, or to now. */
  total: Span | undefined
}

/**
 * The phases of a migration with their durations, and where it is now. From phaseTransitionTimestamps, which have each
 * phase's first beginning in whole seconds (fact sheet control-plane.md §1.3), and finer where both ends were seen.
 */
export function timelineOf(observed: Observed, now: number): Timeline {
  const { migration } = observed
  const phase = phaseOf(migration)
  const outcome = outcomeOf(observed)
  const over = outcome !== 'running'
  const entries = passedPhases(observed).map((name, i, all): TimelineEntry => {
    const next = all[i + 1]
    const last = next === undefined
    return {
      phase: name,
      at: enteredAt(migration, name) ?? observed.seenAt.get(name),
      took: last
        ? over
          ? lastSpan(observed, name)
          : spanToNow(observed, name, now)
        : span(observed, name, next),
      state: last && !over ? 'current' : 'done',
    }
  })
  return {
    entries: over ? entries : [...entries, ...ahead(phase)],
    outcome,
    phase,
    since: enteredAt(migration, phase) ?? observed.seenAt.get(phase) ?? endTime(observed),
    total: over ? totalSpan(observed, phase) : spanToNow(observed, '', now),
  }
}

/** How it ended; a cancelled migration ends Failed, so the wish to cancel decides (fact sheet control-plane.md §2.10). */
export function outcomeOf(observed: Observed): Outcome {
  const { migration, gone } = observed
  const phase = phaseOf(migration)
  const state = ownState(observed)
  if (phase === 'Succeeded') return 'succeeded'
  if (phase === 'Failed')
    return isCancelling(observed) && !failedByItself(observed) ? 'cancelled' : 'failed'
  if (!gone) return 'running'
  if (state?.completed)
    return state.failed ? (isCancelling(observed) ? 'cancelled' : 'failed') : 'succeeded'
  return isCancelling(observed) ? 'cancelled' : 'unknown'
}

/** Somebody asked for its end: the object is being deleted. */
export function isCancelling(observed: Pick<Observed, 'migration'>): boolean {
  const { migration } = observed
  return (
    migration.metadata.deletionTimestamp !== undefined ||
    conditionOf(migration, 'migrationAbortRequested')?.status === 'True'
  )
}

/**
 * Why it failed: the state's own reason, else the newest warning of the controller; undefined when neither is left
 * (one that failed before hand-off has events only, and events expire).
 */
export function failureOf(observed: Observed): { reason: string; source: string } | undefined {
  const state = ownState(observed)
  const reason = state?.failed ? state.failureReason?.trim() : undefined
  if (reason) return { reason, source: 'status.migrationState.failureReason' }
  const warnings = [...observed.events.values()]
    .filter((event) => event.reason === 'FailedMigration' && concerns(observed, event))
    .sort((a, b) => (eventTime(b) ?? 0) - (eventTime(a) ?? 0))
  // The migration's own event says more than "source node reported migration failed" of its VMI.
  const told = warnings[0]?.message
  return told ? { reason: told, source: 'event FailedMigration' } : undefined
}

/** A deletion that comes after the copy broke is no cancelling: the abort was never acted on. */
export function failedByItself(observed: Observed): boolean {
  const state = ownState(observed)
  if (!state?.failed || state.abortRequested) return false
  const failed = timeOf(state.endTimestamp)
  const deleted = timeOf(observed.migration.metadata.deletionTimestamp)
  return failed !== undefined && deleted !== undefined && failed < deleted
}

function passedPhases({ migration }: Observed): string[] {
  const recorded = (migration.status?.phaseTransitionTimestamps ?? [])
    .map((entry) => entry.phase)
    .filter(Boolean)
  const phase = phaseOf(migration)
  return ['', ...recorded, ...(phase !== '' && !recorded.includes(phase) ? [phase] : [])]
}

function ahead(phase: string): TimelineEntry[] {
  const here = (PHASES as readonly string[]).indexOf(phase)
  // Phases of a newer release, or of one between clusters: what follows them is not ours to say.
  if (here < 0) return []
  return PHASES.slice(here + 1)
    .filter((name) => name !== 'Failed')
    .map((name) => ({ phase: name, at: undefined, took: undefined, state: 'ahead' }))
}

/** Between two beginnings: as seen here when both were, else as recorded there. Two clocks are never mixed. */
function span({ migration, seenAt }: Observed, from: string, to: string): Span | undefined {
  return (
    spanOf(seenAt.get(from), seenAt.get(to), true) ??
    spanOf(enteredAt(migration, from), enteredAt(migration, to), false)
  )
}

function spanToNow({ migration, seenAt }: Observed, from: string, now: number): Span | undefined {
  return spanOf(seenAt.get(from), now, true) ?? spanOf(enteredAt(migration, from), now, false)
}

/** A final phase lasts for ever; one in which the object vanished ended then. */
function lastSpan(observed: Observed, phase: string): Span | undefined {
  if (isFinal(observed.migration)) return undefined
  return spanOf(enteredAt(observed.migration, phase), endTime(observed), false)
}

function totalSpan(observed: Observed, phase: string): Span | undefined {
  return (
    span(observed, '', phase) ?? spanOf(enteredAt(observed.migration, ''), endTime(observed), false)
  )
}

function spanOf(
  from: number | undefined,
  to: number | undefined,
  exact: boolean,
): Span | undefined {
  return from === undefined || to === undefined ? undefined : { ms: Math.max(0, to - from), exact }
}

/** For releases or ends that left no time of the last phase. */
function endTime(observed: Observed): number | undefined {
  return (
    timeOf(ownState(observed)?.endTimestamp) ??
    timeOf(observed.migration.metadata.deletionTimestamp)
  )
}
