import { ANNOTATION, LABEL } from '../kubevirt/labels.ts'
import { phaseOf, stateOf, timeOf } from '../kubevirt/migration.ts'
import type { Event, Migration, MigrationState, Pod, Vmi } from '../kubevirt/types.ts'
import type { CopyProgress, FinishedCopy } from './progress.ts'
import type { Waiting } from './waiting.ts'

/** All that is known of one migration at one moment. */
export interface Observed {
  /** As last seen; it stays here when the object is gone. */
  migration: Migration
  gone: boolean
  vmi: Vmi | undefined
  targetPod: Pod | undefined
  /** Of the migration, its VMI and its target pod, by uid. */
  events: ReadonlyMap<string, Event>
  /** How it stands for a slot, while it is pending without a target pod. */
  waiting: Waiting | undefined
  progress: CopyProgress | undefined
  finished: FinishedCopy | undefined
  /** When a phase was seen to begin, in ms, for those that began while we looked: finer than Kubernetes' whole seconds. */
  seenAt: ReadonlyMap<string, number>
}

export type Observation =
  | { kind: 'migration'; object: Migration; deleted: boolean }
  | { kind: 'vmi'; object: Vmi; deleted: boolean }
  | { kind: 'pod'; object: Pod; deleted: boolean }
  | { kind: 'event'; object: Event; deleted: boolean }
  | { kind: 'waiting'; waiting: Waiting }
  | { kind: 'progress'; progress: CopyProgress }
  | { kind: 'finished'; finished: FinishedCopy }

export function firstSight(migration: Migration, vmi?: Vmi): Observed {
  return {
    migration,
    gone: false,
    vmi,
    targetPod: undefined,
    events: new Map(),
    waiting: undefined,
    progress: undefined,
    finished: undefined,
    seenAt: new Map(),
  }
}

/** What is known after one more observation. An object of another migration changes nothing. */
export function observe(known: Observed, observation: Observation, now: number): Observed {
  switch (observation.kind) {
    case 'migration':
      return observeMigration(known, observation.object, observation.deleted, now)
    case 'vmi':
      return {
        ...known,
        vmi: observation.deleted ? undefined : observation.object,
      }
    case 'pod':
      return observePod(known, observation.object, observation.deleted)
    case 'event':
      return observeEvent(known, observation.object, observation.deleted)
    case 'waiting':
      return { ...known, waiting: observation.waiting }
    case 'progress':
      return { ...known, progress: observation.progress }
    case 'finished':
      return { ...known, finished: observation.finished }
  }
}

/** This migration's own state (design.md §4, "One slot"). */
export function ownState({
  migration,
  vmi,
}: Pick<Observed, 'migration' | 'vmi'>): MigrationState | undefined {
  return stateOf(migration, vmi)
}

/** The copy runs now. */
export function isCopying(observed: Observed): boolean {
  const state = ownState(observed)
  return (
    phaseOf(observed.migration) === 'Running' &&
    state?.startTimestamp !== undefined &&
    !state.completed
  )
}

/** Whether this event tells of this migration: VMI events may still be an earlier one's. */
export function concerns({ migration, vmi, targetPod }: Observed, event: Event): boolean {
  const { uid } = event.involvedObject
  if (uid === migration.metadata.uid) return true
  if (targetPod && uid === targetPod.metadata.uid) return true
  if (!vmi || uid !== vmi.metadata.uid) return false
  const at = eventTime(event)
  const created = timeOf(migration.metadata.creationTimestamp)
  if (at === undefined || created === undefined || at < created) return false
  const named = /migration uid (\S+)/.exec(event.message ?? '')
  return !named || named[1] === migration.metadata.uid
}

/** When it last happened, in ms. */
export function eventTime(event: Event): number | undefined {
  return (
    timeOf(event.lastTimestamp) ??
    timeOf(event.eventTime) ??
    timeOf(event.metadata.creationTimestamp)
  )
}

function observeMigration(
  known: Observed,
  migration: Migration,
  deleted: boolean,
  now: number,
): Observed {
  // A name may come again; a uid does not.
  if (migration.metadata.uid !== known.migration.metadata.uid) return known
  const phase = phaseOf(migration)
  const seenAt =
    phase === phaseOf(known.migration) ? known.seenAt : new Map(known.seenAt).set(phase, now)
  return { ...known, migration, gone: deleted, seenAt }
}

function observePod(known: Observed, pod: Pod, deleted: boolean): Observed {
  const { labels, annotations, uid } = pod.metadata
  const mine =
    labels?.[LABEL.migrationJobUid] === known.migration.metadata.uid &&
    labels?.[LABEL.app] === 'virt-launcher' &&
    (annotations?.[ANNOTATION.migrationJobName] ?? known.migration.metadata.name) ===
      known.migration.metadata.name
  if (!mine) return known
  if (deleted)
    return known.targetPod?.metadata.uid === uid ? { ...known, targetPod: undefined } : known
  return { ...known, targetPod: pod }
}

function observeEvent(known: Observed, event: Event, deleted: boolean): Observed {
  const uid = event.metadata.uid ?? event.metadata.name
  // Events expire; what was seen stays.
  if (deleted) return known
  return { ...known, events: new Map(known.events).set(uid, event) }
}
