import { type FieldType, fieldType } from '../schema/type-table.ts'
import { type FieldSet, pathOf } from './field-set.ts'

/** Fields that every object has and nobody owns. */
const UNOWNED = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'name',
  'namespace',
  'resourceVersion',
  'selfLink',
  'uid',
].map((field) => pathOf('f:metadata', `f:${field}`))

/** An object's fields by their paths, each with its value as text: what can be owned, and compared. */
export type Leaves = ReadonlyMap<string, string>

/**
 * Splits an object into its fields as its type says: structs, maps and keyed lists by their members, anything else whole.
 * Without a type, objects are split and lists are not.
 */
export function leavesOf(typeName: string | undefined, object: object): Leaves {
  const leaves = new Map<string, string>()
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object as Record<string, unknown>
  walk(typeName === undefined ? undefined : { shape: 'struct', name: typeName }, rest, '', leaves)
  for (const path of UNOWNED) leaves.delete(path)
  return leaves
}

function walk(
  type: FieldType | undefined,
  value: unknown,
  path: string,
  leaves: Map<string, string>,
): void {
  if (value === undefined) return
  if (Array.isArray(value) && type?.shape === 'list' && type.mergeKey !== undefined) {
    walkList(type, value, path, leaves)
    return
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const isOne = type?.shape === 'scalar' // a quantity, or raw JSON
  if (!isObject || isOne || (path !== '' && Object.keys(value).length === 0)) {
    leaves.set(path, JSON.stringify(value))
    return
  }
  for (const [field, item] of Object.entries(value))
    walk(fieldType(type, field), item, pathOf(path, `f:${field}`), leaves)
}

function walkList(
  type: FieldType & { shape: 'list' },
  list: unknown[],
  path: string,
  leaves: Map<string, string>,
): void {
  for (const item of list) {
    if (type.mergeKey === '+') {
      leaves.set(pathOf(path, `v:${JSON.stringify(item)}`), '')
      continue
    }
    const at = pathOf(path, itemElement(type.mergeKey!, item))
    leaves.set(at, '')
    walk(type.of, item, at, leaves)
  }
}

/** `k:{"name":"compute"}` */
function itemElement(key: string, item: unknown): string {
  return `k:${JSON.stringify({ [key]: (item as Record<string, unknown>)[key] })}`
}

export interface Difference {
  /** Added or given another value. */
  changed: Set<string>
  removed: Set<string>
}

export function compare(before: Leaves, after: Leaves): Difference {
  const changed = new Set(
    [...after].filter(([p, value]) => before.get(p) !== value).map(([p]) => p),
  )
  return { changed, removed: new Set([...before.keys()].filter((path) => !after.has(path))) }
}

export function pathsOf(leaves: Leaves): FieldSet {
  return new Set(leaves.keys())
}
