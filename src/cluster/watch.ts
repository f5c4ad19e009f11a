import { type Clock, systemClock } from '../clock.ts'
import { MigError } from '../errors.ts'
import { pathOf, type Resource } from '../kubevirt/resources.ts'
import type { KubeList, KubeObject } from '../kubevirt/types.ts'
import { answerEventError } from './answer-error.ts'
import { ApiError, isStatus, type Status } from './api-error.ts'
import { backoff } from './backoff.ts'
import type { Cluster } from './cluster.ts'
import { list } from './objects.ts'

export type WatchEvent<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  /** All that was there has been told; comes after each list. */
  | { type: 'SYNC'; resourceVersion: string }

export interface WatchOptions {
  namespace?: string | undefined
  labelSelector?: string | undefined
  fieldSelector?: string | undefined
  /** Starts from here instead of listing first; then there is no SYNC until a list is needed. */
  resourceVersion?: string
  /** Ends the watch; the generator then returns. */
  signal?: AbortSignal | undefined
  /** The watch was lost and is being brought back; called once for each failure. */
  onLost?(err: MigError): void
  /** It is back, and what was missed has been told. */
  onRegained?(): void
  clock?: Clock
}

/** Asked of the server; randomly up to twice as long, as other clients do. s. */
const WATCH_SECONDS = 300

/**
 * Lists, then watches, for ever: a watch that ends, breaks or expires is resumed, and what changed meanwhile comes as
 * ordinary events. Throws only before it has once begun (no permission, no such resource, no server); ends with the signal.
 */
export async function* watch<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  options: WatchOptions = {},
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { signal, clock = systemClock } = options
  const known = new Map<string, T>()
  let from = options.resourceVersion
  let begun = false
  let failures = 0
  while (!signal?.aborted) {
    try {
      if (from === undefined) {
        const listed = await list<T>(cluster, resource, { ...selection(options), signal })
        for (const event of difference(known, listed)) yield event
        from = listed.metadata.resourceVersion ?? '0'
        yield { type: 'SYNC', resourceVersion: from }
      }
      const lines = await open(cluster, resource, options, from)
      begun = true
      if (failures > 0) options.onRegained?.()
      for await (const line of lines) {
        const event = JSON.parse(line) as { type: string; object: T | Status }
        if (event.type === 'ERROR')
          throw answerEventError(cluster.server, resource, event.object as Status)
        const object = event.object as T
        from = object.metadata.resourceVersion ?? from
        failures = 0
        if (event.type === 'BOOKMARK') continue
        remember(known, event.type, object)
        yield { type: event.type as 'ADDED', object }
      }
    } catch (err) {
      if (signal?.aborted) return
      if (!begun || !(err instanceof MigError)) throw err
      if (err instanceof ApiError && err.status !== undefined) from = undefined
      if (isStatus(err, 410)) continue
      failures++
      options.onLost?.(err)
      await clock.sleep(backoff(failures), signal).catch(() => undefined)
    }
  }
}

function open(cluster: Cluster, resource: Resource, options: WatchOptions, from: string) {
  return cluster.stream({
    path: pathOf(resource, { namespace: options.namespace }),
    query: {
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: from,
      timeoutSeconds: Math.round(WATCH_SECONDS * (1 + Math.random())),
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
    },
    signal: options.signal,
  })
}

/** What a new list says in events, compared with what was known. */
function* difference<T extends KubeObject>(
  known: Map<string, T>,
  listed: KubeList<T>,
): Generator<WatchEvent<T>> {
  const now = new Map(listed.items.map((object) => [keyOf(object), object]))
  for (const [key, before] of known) {
    const after = now.get(key)
    if (after && after.metadata.uid === before.metadata.uid) continue
    known.delete(key)
    yield { type: 'DELETED', object: before }
  }
  for (const [key, object] of now) {
    const before = known.get(key)
    known.set(key, object)
    if (!before) yield { type: 'ADDED', object }
    else if (before.metadata.resourceVersion !== object.metadata.resourceVersion)
      yield { type: 'MODIFIED', object }
  }
}

function remember<T extends KubeObject>(known: Map<string, T>, type: string, object: T): void {
  if (type === 'DELETED') known.delete(keyOf(object))
  else known.set(keyOf(object), object)
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`
}

function selection({ namespace, labelSelector, fieldSelector }: WatchOptions) {
  return { namespace, labelSelector, fieldSelector }
}
