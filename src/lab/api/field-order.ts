import type { ApiObject, Kind } from './kind.ts'
import { type FieldType, fieldType, placesIn } from './schema/type-table.ts'

type Json = Record<string, unknown>

/**
 * The object with its fields in the order in which Kubernetes writes them: a built-in kind's as its type declares them, all
 * else (custom resources, the keys of maps) by name. What is in order already is not copied: every write comes through here.
 */
export function inOrder(kind: Kind, object: ApiObject): ApiObject {
  const type: FieldType | undefined =
    kind.builtIn && kind.type !== undefined ? { shape: 'struct', name: kind.type } : undefined
  return ordered(object, type, type && KIND_FIRST) as ApiObject
}

/** Of a built-in object; its type lists them the other way round. */
const KIND_FIRST = ['kind', 'apiVersion']

/** Any value with the members of all objects by name, as Go writes what it has no type for. */
export function membersByName<T>(value: T): T {
  return ordered(value, undefined) as T
}

function ordered(
  value: unknown,
  type: FieldType | undefined,
  first: readonly string[] = [],
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return orderedList(value, type)
  const object = value as Json
  const names = Object.keys(object)
  const compare = type?.shape === 'struct' ? declared(placesIn(type.name), first) : compareNames
  let changed = false
  for (let i = 1; i < names.length && !changed; i++)
    changed = compare(names[i - 1] ?? '', names[i] ?? '') > 0
  if (changed) names.sort(compare)
  const result: Json = {}
  for (const name of names) {
    const before = object[name]
    const after = isScalar(before) ? before : ordered(before, type && fieldType(type, name))
    if (after !== before) changed = true
    result[name] = after
  }
  return changed ? result : value
}

function orderedList(list: unknown[], type: FieldType | undefined): unknown[] {
  const of = type?.shape === 'list' ? type.of : undefined
  const items = list.map((item) => ordered(item, of))
  return items.some((item, i) => item !== list[i]) ? items : list
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

type Compare = (a: string, b: string) => number

function compareNames(a: string, b: string): number {
  return a < b ? -1 : 1
}

/** In the order of a type's declaration, but for those that come before all. */
function declared(places: ReadonlyMap<string, number>, first: readonly string[]): Compare {
  const placeOf = (name: string) => {
    const at = first.indexOf(name)
    return at < 0 ? (places.get(name) ?? Number.MAX_SAFE_INTEGER) : at - first.length
  }
  return (a, b) => placeOf(a) - placeOf(b) || compareNames(a, b)
}
