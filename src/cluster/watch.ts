import { type Clock, systemClock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import { pathOf, type Resource } from '../kubevirt/resources.ts'
import type { KubeList, KubeObject } from '../kubevirt/types.ts'
import { watchError } from './answer-error.ts'
import { ApiError, isStatus, type Status } from './api-error.ts'
import { backoff } from './backoff.ts'
import type { Cluster } from './cluster.ts'
import { pages } from './objects.ts'
import { limitTime, TIME_IS_UP } from './time-limit.ts'

export type WatchEvent<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  /** A list has been told in full: the first one, or one that was needed to catch up. */
  | { type: 'SYNC'; resourceVersion: string }

export interface WatchOptions<T extends KubeObject = KubeObject> {
  /** Default: all namespaces. */
  namespace?: string | undefined
  labelSelector?: string | undefined
  fieldSelector?: string | undefined
  /** Starts from here instead of with a list; then there is no SYNC until a list is needed. */
  resourceVersion?: string | undefined
  /** Ends the watch; the generator then returns. */
  signal?: AbortSignal | undefined
  /** The watch was lost and is being brought back; called for each failure. */
  onLost?: ((err: MigError) => void) | undefined
  /** It is back. What was missed comes as events, after a list before it. */
  onRegained?: (() => void) | undefined
  /** What is kept of each object until it changes or goes; a DELETED that a list shows has no more. Default: all of it. */
  remember?: ((object: T) => T) | undefined
  /** For the waits between failures. */
  clock?: Clock | undefined
  /** Asked of the server; default 5 to 10 minutes, random as with other clients. A watch that is open 1.25 times as long is taken for dead. */
  timeoutSeconds?: number | undefined
}

const TIMEOUT_SECONDS = 300
const OVERTIME = 1.25
/** A watch that ends sooner than this (ms) and without a word counts as a failure. */
const TOO_SHORT = 1000

/**
 * Lists, then watches, for ever: a watch that ends, breaks or expires is resumed, and what changed meanwhile comes as
 * ordinary events. Throws only before the first watch has begun (no permission, no such resource, no server); afterwards
 * it keeps trying, whatever the server says. Returns when the signal is aborted.
 */
export async function* watch<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  options: WatchOptions<T> = {},
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { signal, clock = systemClock, remember } = options
  const known = createMemory(remember)
  let from = options.resourceVersion
  let begun = false
  let lost = false
  let failures = 0

  while (!signal?.aborted) {
    try {
      if (from === undefined) {
        // One that expired on the way is read in one piece.
        const limit = failures > 0 ? 0 : undefined
        const listing = pages<T>(cluster, resource, {
          ...selection(options),
          signal,
          limit,
          consistent: true,
        })
        from = yield* difference(known, listing)
        yield { type: 'SYNC', resourceVersion: from }
      }
      const opened = clock.now()
      let heard = false
      for await (const event of open<T>(cluster, resource, options, from, onOpen)) {
        heard = true
        failures = 0
        from = event.object.metadata.resourceVersion ?? from
        const told = event.type === 'BOOKMARK' ? undefined : known.news(event)
        if (told) yield told
      }
      if (heard || clock.now() - opened >= TOO_SHORT) continue
      failures++
    } catch (err) {
      if (signal?.aborted) return
      if (!(err instanceof MigError) || (!begun && isFinal(err, from))) throw err
      failures++
      // An answer, unlike a broken connection, says that going on from here is no use.
      if (err instanceof ApiError && err.status !== undefined) from = undefined
      if (isStatus(err, 410) && failures === 1) continue
      lost = true
      options.onLost?.(err)
    }
    await clock.sleep(backoff(failures), signal).catch(() => undefined)
  }

  function onOpen(): void {
    begun = true
    if (lost) options.onRegained?.()
    lost = false
  }
}

interface RawEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  object: T
}

/** One watch request: its events until the server ends it, or silence past its time says that it is dead. */
async function* open<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  options: Omit<WatchOptions, 'remember'>,
  resourceVersion: string,
  onOpen: () => void,
): AsyncGenerator<RawEvent<T>, void, undefined> {
  const seconds = options.timeoutSeconds ?? Math.round(TIMEOUT_SECONDS * (1 + Math.random()))
  const limit = limitTime(seconds * OVERTIME * 1000, [options.signal])
  try {
    const lines = await cluster.stream({
      path: pathOf(resource, { namespace: options.namespace }),
      query: {
        ...selection(options),
        namespace: undefined,
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion,
        timeoutSeconds: seconds,
      },
      signal: limit.signal,
    })
    onOpen()
    for await (const line of lines) if (line !== '') yield parse<T>(cluster, resource, line)
  } catch (err) {
    if (limit.signal.reason !== TIME_IS_UP) throw err
  } finally {
    limit.end()
  }
}

function parse<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  line: string,
): RawEvent<T> {
  let event: { type: RawEvent<T>['type'] | 'ERROR'; object: T | Status }
  try {
    event = JSON.parse(line)
  } catch (cause) {
    const message = `the watch of ${resource.plural} broke off within an event (${cluster.server})`
    throw new ApiError(EXIT.error, message, { code: 'NOTJSON', cause })
  }
  if (event.type === 'ERROR') throw watchError(cluster.server, resource, event.object as Status)
  return event as RawEvent<T>
}

/** Before a first watch, an answer is final, and so is anything that keeps the first list from coming. */
function isFinal(err: MigError, from: string | undefined): boolean {
  if (from === undefined) return !isStatus(err, 410)
  const status = err instanceof ApiError ? (err.status ?? 0) : 400
  return status >= 400 && status < 500 && status !== 410 && status !== 429
}

/** What a new list says in events, compared with what was known. @returns its resourceVersion */
async function* difference<T extends KubeObject>(
  known: Memory<T>,
  listing: AsyncIterable<KubeList<T>>,
): AsyncGenerator<WatchEvent<T>, string, undefined> {
  const listed = new Set<string>()
  let resourceVersion: string | undefined
  for await (const { items, metadata } of listing) {
    resourceVersion ??= metadata.resourceVersion
    for (const object of items) {
      listed.add(keyOf(object))
      const before = known.get(object)
      if (before && before.metadata.uid !== object.metadata.uid) yield known.drop(before)
      const told = known.news({ type: 'ADDED', object })
      if (told) yield told
    }
  }
  for (const object of known.all()) if (!listed.has(keyOf(object))) yield known.drop(object)
  return resourceVersion ?? ''
}

/** The objects as they were told last. */
interface Memory<T> {
  get(object: T): T | undefined
  all(): T[]
  drop(object: T): WatchEvent<T>
  /** Remembers an event; undefined when it tells what is known already. */
  news(event: RawEvent<T>): WatchEvent<T> | undefined
}

function createMemory<T extends KubeObject>(remember = (object: T) => object): Memory<T> {
  const known = new Map<string, T>()
  return {
    get: (object) => known.get(keyOf(object)),
    all: () => [...known.values()],
    drop(object) {
      known.delete(keyOf(object))
      return { type: 'DELETED', object }
    },
    news({ type, object }) {
      if (type === 'DELETED') return this.drop(object)
      const before = known.get(keyOf(object))
      known.set(keyOf(object), remember(object))
      if (before === undefined || before.metadata.uid !== object.metadata.uid)
        return { type: type as 'ADDED' | 'MODIFIED', object }
      const same = before.metadata.resourceVersion === object.metadata.resourceVersion
      return same ? undefined : { type: 'MODIFIED', object }
    },
  }
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`
}

function selection({
  namespace,
  labelSelector,
  fieldSelector,
}: Pick<WatchOptions, 'namespace' | 'labelSelector' | 'fieldSelector'>) {
  return { namespace, labelSelector, fieldSelector }
}
