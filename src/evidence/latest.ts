import { timeOf } from '../kubevirt/migration.ts'
import type { Event, KubeObject } from '../kubevirt/types.ts'
import type { LogHit } from './log-hits.ts'
import type { Objects } from './objects.ts'

/** Fields that say when something happened; not when something will (a deletion, the end of a certificate). */
const PAST = new Set([
  'creationTimestamp',
  'lastTransitionTime',
  'lastProbeTime',
  'lastHeartbeatTime',
  'phaseTransitionTimestamp',
  'startTimestamp',
  'endTimestamp',
  'targetNodeDomainReadyTimestamp',
  'startTime',
  'startedAt',
  'finishedAt',
  'timeAdded',
])

/** The newest moment of which the evidence says that something happened then, in ms (design.md §2). */
export function latestMoment(
  objects: Objects,
  kinds: Iterable<string>,
  logs: LogHit[],
): number | undefined {
  let latest: number | undefined
  const see = (ms: number | undefined) => {
    if (ms !== undefined && (latest === undefined || ms > latest)) latest = ms
  }
  for (const kind of kinds)
    for (const object of objects.list(kind)) {
      if (kind === 'Event') see(eventTime(object as Event))
      else walk(object, see)
    }
  for (const hit of logs) see(hit.time)
  return latest
}

/** When an event was last seen, in ms. */
export function eventTime(event: Event): number | undefined {
  return (
    timeOf(event.lastTimestamp) ??
    timeOf(event.eventTime) ??
    timeOf(event.firstTimestamp) ??
    timeOf(event.metadata.creationTimestamp)
  )
}

function walk(value: KubeObject | unknown, see: (ms: number | undefined) => void): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'string') {
      if (PAST.has(key)) see(timeOf(inner))
    } else walk(inner, see)
  }
}
