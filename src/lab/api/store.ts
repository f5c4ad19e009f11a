import { inOrder } from './field-order.ts'
import { type ApiObject, apiVersionOf, type Kind, keyOf } from './kind.ts'
import { expired } from './status.ts'

export interface StoreEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** The new state; for DELETED the last one, with the revision of its deletion. */
  object: ApiObject
  previous: ApiObject | undefined
  revision: number
}

interface Subscription {
  /** What happened since the revision asked for. */
  backlog: StoreEvent[]
  close(): void
}

/**
 * The objects, in memory. Each write gets the next revision of the whole store as its resourceVersion, as with etcd.
 * What is in the store is frozen, so that readers, watchers and the history share one copy.
 */
export interface Store {
  readonly revision: number
  get(kind: Kind, namespace: string | undefined, name: string): ApiObject | undefined
  /** In the order of their keys (namespace, name); all namespaces when `namespace` is undefined. */
  list(kind: Kind, namespace?: string): ApiObject[]
  /** The same as it was at a revision; throws 410 Expired when the history does not reach to it. */
  listAt(kind: Kind, namespace: string | undefined, revision: number): ApiObject[]
  insert(kind: Kind, object: ApiObject): ApiObject
  replace(kind: Kind, object: ApiObject): ApiObject
  remove(kind: Kind, namespace: string | undefined, name: string): ApiObject
  /** Throws 410 Expired when the history does not reach to `since`. */
  subscribe(kind: Kind, since: number, listener: (event: StoreEvent) => void): Subscription
}

/** `historyLength`: how many events of a kind are kept for watches that start in the past. */
export function createStore({ historyLength = 5000 }: { historyLength?: number }): Store {
  const tables = new Map<Kind, Table>()
  let revision = 1

  const tableOf = (kind: Kind): Table => {
    let table = tables.get(kind)
    if (!table) {
      // What was before it is not known of.
      const floor = revision
      table = { objects: new Map(), keys: [], history: [], floor, listeners: new Set() }
      tables.set(kind, table)
    }
    return table
  }

  const publish = (kind: Kind, event: StoreEvent): ApiObject => {
    const table = tableOf(kind)
    table.history.push(event)
    // Half of the window goes at once: shifting one by one would cost each write the whole length.
    if (table.history.length > historyLength * 1.5) {
      const gone = table.history.splice(0, table.history.length - historyLength)
      table.floor = gone.at(-1)!.revision
    }
    for (const listener of table.listeners) listener(event)
    return event.object
  }

  const list = (kind: Kind, namespace?: string): ApiObject[] => {
    const { keys, objects } = tableOf(kind)
    if (namespace === undefined) return keys.map((key) => objects.get(key)!)
    const from = lowerBound(keys, `${namespace}/`)
    const to = lowerBound(keys, `${namespace}0`) // "0" is what follows "/"
    return keys.slice(from, to).map((key) => objects.get(key)!)
  }

  return {
    get revision() {
      return revision
    },
    get: (kind, namespace, name) => tableOf(kind).objects.get(keyOf(namespace, name)),
    list,
    listAt(kind, namespace, at) {
      const { history, floor } = tableOf(kind)
      if (at < floor) throw expired('The resourceVersion for the provided list is too old.')
      const since = history.slice(firstAfter(history, at))
      if (since.length === 0) return list(kind, namespace)
      const objects = new Map(list(kind, namespace).map((object) => [keyOfObject(object), object]))
      // Undone, the newest first.
      for (const { object, previous } of since.reverse()) {
        if (namespace !== undefined && object.metadata.namespace !== namespace) continue
        if (previous) objects.set(keyOfObject(object), previous)
        else objects.delete(keyOfObject(object))
      }
      return [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object)
    },
    insert(kind, object) {
      const table = tableOf(kind)
      const key = keyOf(object.metadata.namespace, object.metadata.name)
      const stored = withRevision(kind, object, ++revision)
      table.keys.splice(lowerBound(table.keys, key), 0, key)
      table.objects.set(key, stored)
      return publish(kind, { type: 'ADDED', object: stored, previous: undefined, revision })
    },
    replace(kind, object) {
      const table = tableOf(kind)
      const key = keyOf(object.metadata.namespace, object.metadata.name)
      const previous = table.objects.get(key)
      const stored = withRevision(kind, object, ++revision)
      table.objects.set(key, stored)
      return publish(kind, { type: 'MODIFIED', object: stored, previous, revision })
    },
    remove(kind, namespace, name) {
      const table = tableOf(kind)
      const key = keyOf(namespace, name)
      const previous = table.objects.get(key)!
      table.objects.delete(key)
      table.keys.splice(lowerBound(table.keys, key), 1)
      const last = withRevision(kind, previous, ++revision)
      return publish(kind, { type: 'DELETED', object: last, previous, revision })
    },
    subscribe(kind, since, listener) {
      const table = tableOf(kind)
      // A revision yet to come is one of another store's, which this client has outlived.
      if (since < table.floor || since > revision)
        throw expired(`too old resource version: ${since} (${table.floor + 1})`)
      table.listeners.add(listener)
      return {
        backlog: table.history.slice(firstAfter(table.history, since)),
        close: () => void table.listeners.delete(listener),
      }
    },
  }
}

interface Table {
  objects: Map<string, ApiObject>
  /** Sorted keys of `objects`. */
  keys: string[]
  history: StoreEvent[]
  /** Revision of the newest event that was dropped from the history. */
  floor: number
  listeners: Set<(event: StoreEvent) => void>
}

function keyOfObject({ metadata }: ApiObject): string {
  return keyOf(metadata.namespace, metadata.name)
}

function withRevision(kind: Kind, object: ApiObject, revision: number): ApiObject {
  const metadata = { ...object.metadata, resourceVersion: String(revision) }
  const named = { ...object, kind: kind.kind, apiVersion: apiVersionOf(kind), metadata }
  return freeze(inOrder(kind, named))
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) freeze(part)
  return Object.freeze(value)
}

/** Index of the first key that is not before `key`. */
function lowerBound(keys: string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (keys[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}

function firstAfter(history: StoreEvent[], revision: number): number {
  let low = 0
  let high = history.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (history[middle]!.revision <= revision) low = middle + 1
    else high = middle
  }
  return low
}
