import type { ApiObject, Kind } from './kind.ts'
import type { StoreEvent } from './store.ts'

const objectTexts = new WeakMap<ApiObject, string>()
const eventTexts = new WeakMap<StoreEvent, string>()

/** The object as JSON; stored objects never change, so each is serialised once. */
function objectText(object: ApiObject): string {
  if (!Object.isFrozen(object)) return JSON.stringify(object)
  let text = objectTexts.get(object)
  if (text === undefined) {
    text = JSON.stringify(object)
    objectTexts.set(object, text)
  }
  return text
}

/** A watch event of a stored object as a line, serialised once for all who watch it as it is. */
export function eventText(event: StoreEvent): string {
  let text = eventTexts.get(event)
  if (text === undefined) {
    text = eventLine(event.type, objectText(event.object))
    eventTexts.set(event, text)
  }
  return text
}

/** The object as JSON under another of its kind's versions: all versions of a kind have one shape here. */
export function versionedText(object: ApiObject, apiVersion: string): string {
  const text = objectText(object)
  if (object.apiVersion === apiVersion) return text
  return text.replace(`"apiVersion":"${object.apiVersion}"`, `"apiVersion":"${apiVersion}"`)
}

export function eventLine(type: string, object: string): string {
  return `{"type":"${type}","object":${object}}\n`
}

export interface ListMeta {
  resourceVersion: string
  continue?: string
  remainingItemCount?: number
}

/**
 * A list as JSON. As in Kubernetes, items of built-in kinds carry neither kind nor apiVersion (clients must not
 * rely on them), custom resources do.
 */
export function listText(
  kind: Kind,
  items: ApiObject[],
  metadata: ListMeta,
  apiVersion: string,
): string {
  if (!kind.builtIn) {
    const texts = items.map((item) => versionedText(item, apiVersion))
    const { continue: more = '', ...meta } = metadata
    const tail = JSON.stringify({
      kind: kind.listKind,
      metadata: { continue: more, ...inNames(meta) },
    })
    return `{"apiVersion":"${apiVersion}","items":[${texts.join(',')}],${tail.slice(1)}`
  }
  // First in every object's text: a list leaves them out by cutting it.
  const head = JSON.stringify({ kind: kind.listKind, apiVersion, metadata })
  const prefix = JSON.stringify({ kind: kind.kind, apiVersion }).slice(0, -1)
  const texts = items.map((item) => {
    const text = versionedText(item, apiVersion)
    return text.startsWith(prefix) ? `{${text.slice(prefix.length + 1)}` : text
  })
  return `${head.slice(0, -1)},"items":[${texts.join(',')}]}`
}

function inNames<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) as T
}
