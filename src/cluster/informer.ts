import type { Clock } from '../clock.ts'
import type { MigError } from '../errors.ts'
import type { Resource } from '../kubevirt/resources.ts'
import type { KubeObject } from '../kubevirt/types.ts'
import type { Cluster } from './cluster.ts'
import { type WatchEvent, watch } from './watch.ts'

type Listener<T> = (event: ChangeEvent<T>) => void

/** The cache already holds what the event tells. */
type ChangeEvent<T> = Exclude<WatchEvent<T>, { type: 'SYNC' }>

export interface InformerOptions<T> {
  namespace?: string | undefined
  labelSelector?: string | undefined
  fieldSelector?: string | undefined
  /** Named ways to look objects up: each gives the keys under which an object is found by `by`. */
  indexes?: Record<string, (object: T) => string[]>
  /** Sees every change, those of the first list too. */
  onChange?: Listener<T>
  /** It could not begin (`synced` rejects with the same), or a listener threw; unheard, the latter is thrown uncaught. */
  onError?(err: unknown): void
  /** The watch was lost and is being brought back; the cache may lag. Once for each failure. */
  onLost?(err: MigError): void
  onRegained?(): void
  signal?: AbortSignal | undefined
  clock?: Clock
}

/** A cache of all objects of one kind that follows the API. Its objects are shared: don't change them. */
export interface Informer<T> {
  /** Resolves when the first list is in the cache. */
  readonly synced: Promise<void>
  readonly lastResourceVersion: string | undefined
  get(namespace: string | undefined, name: string): T | undefined
  list(): T[]
  by(index: string, key: string): T[]
  /** Hears changes from now on; what is already there, `list()` tells. Returns how to stop. */
  on(listener: Listener<T>): () => void
  close(): Promise<void>
}

export function startInformer<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  options: InformerOptions<T> = {},
): Informer<T> {
  const objects = new Map<string, T>()
  const indexes = new Map(
    Object.entries(options.indexes ?? {}).map(([name, keysOf]) => [
      name,
      { keysOf, found: new Map<string, Map<string, T>>() },
    ]),
  )
  const listeners = new Set<Listener<T>>(options.onChange ? [options.onChange] : [])
  const stop = new AbortController()
  const end = () => stop.abort(options.signal?.reason)
  if (options.signal?.aborted) end()
  options.signal?.addEventListener('abort', end, { once: true })
  const { promise: synced, resolve, reject } = Promise.withResolvers<void>()
  synced.catch(() => undefined)
  let lastResourceVersion: string | undefined
  const running = run()

  async function run(): Promise<void> {
    try {
      for await (const event of watch<T>(cluster, resource, { ...options, signal: stop.signal })) {
        if (event.type === 'SYNC') {
          lastResourceVersion = event.resourceVersion
          resolve()
          continue
        }
        lastResourceVersion = event.object.metadata.resourceVersion ?? lastResourceVersion
        store(event)
        tell(event)
      }
      reject(stop.signal.reason)
    } catch (err) {
      reject(err)
      options.onError?.(err)
    } finally {
      options.signal?.removeEventListener('abort', end)
    }
  }

  /** A listener that throws keeps neither the others nor the cache from going on. */
  function tell(event: ChangeEvent<T>): void {
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (err) {
        if (options.onError) options.onError(err)
        else
          queueMicrotask(() => {
            throw err
          })
      }
    }
  }

  function store({ type, object }: ChangeEvent<T>): void {
    const key = keyOf(object.metadata.namespace, object.metadata.name)
    const before = objects.get(key)
    for (const { keysOf, found } of indexes.values()) {
      for (const at of before ? keysOf(before) : []) {
        found.get(at)?.delete(key)
        if (found.get(at)?.size === 0) found.delete(at)
      }
      for (const at of type === 'DELETED' ? [] : keysOf(object)) {
        if (!found.has(at)) found.set(at, new Map())
        found.get(at)!.set(key, object)
      }
    }
    if (type === 'DELETED') objects.delete(key)
    else objects.set(key, object)
  }

  return {
    synced,
    get lastResourceVersion() {
      return lastResourceVersion
    },
    get: (namespace, name) => objects.get(keyOf(namespace, name)),
    list: () => [...objects.values()],
    by: (name, key) => {
      const index = indexes.get(name)
      if (!index) throw new Error(`there is no index "${name}"`)
      return [...(index.found.get(key)?.values() ?? [])]
    },
    on: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => {
      stop.abort(new Error('the informer was closed'))
      await running
    },
  }
}

function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`
}
