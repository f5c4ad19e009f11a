import { type FieldType, fieldsOf, fieldType } from '../schema/type-table.ts'
import { isAtomic } from './atomic.ts'
import { type FieldSet, pathOf } from './field-set.ts'

/** Fields that every object has and nobody owns. */
const UNOWNED_METADATA = [
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
]
const UNOWNED = [
  pathOf('f:metadata'),
  ...UNOWNED_METADATA.map((field) => pathOf('f:metadata', `f:${field}`)),
]

/** An object's fields by their paths, each with its value as text: what can be owned, and compared. */
export type Leaves = ReadonlyMap<string, string>

/**
 * Splits an object into its fields as its type says: structs, maps and keyed lists by their members, anything else whole.
 * Without a type, objects are split and lists are not.
 */
export function leavesOf(typeName: string | undefined, object: object): Leaves {
  return split(typeName, object, false)
}

/**
 * The same with what has fields itself, as far as it is not in every object anyway: who adds the first label adds the
 * labels.
 */
export function nodesOf(typeName: string | undefined, object: object): Leaves {
  return split(typeName, object, true)
}

function split(typeName: string | undefined, object: object, withNodes: boolean): Leaves {
  const leaves = new Map<string, string>()
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object as Record<string, unknown>
  const type: FieldType | undefined =
    typeName === undefined ? undefined : { shape: 'struct', name: typeName }
  walk(type, rest, '', { leaves, isAlways: true, withNodes })
  for (const path of UNOWNED) leaves.delete(path)
  return leaves
}

interface Walk {
  leaves: Map<string, string>
  withNodes: boolean
  /** Whether an empty object has it too. */
  isAlways: boolean
}

function walk(type: FieldType | undefined, value: unknown, path: string, on: Walk): void {
  if (value === undefined) return
  const { leaves, withNodes, isAlways } = on
  if (Array.isArray(value) && type?.shape === 'list' && type.mergeKey !== undefined) {
    if (withNodes && !isAlways) leaves.set(path, NODE)
    walkList(type, value, path, { ...on, isAlways: false })
    return
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const isOne = type?.shape === 'scalar' // a quantity, or raw JSON
  if (!isObject || isOne) {
    leaves.set(path, JSON.stringify(value))
    return
  }
  const isEmpty = Object.keys(value).length === 0
  if (withNodes ? !isAlways : isEmpty && path !== '') leaves.set(path, NODE)
  const fields = type?.shape === 'struct' ? fieldsOf(type.name) : undefined
  for (const [field, item] of Object.entries(value)) {
    const at = pathOf(path, `f:${field}`)
    const of = fieldType(type, field)
    if (of && item !== undefined && isAtomic(type, field, of)) leaves.set(at, JSON.stringify(item))
    else
      walk(of, item, at, {
        ...on,
        isAlways: isAlways && (fields?.get(field)?.isAlways ?? false),
      })
  }
}

/** The value of what has members, which are compared for it. */
const NODE = '{}'

function walkList(
  type: FieldType & { shape: 'list' },
  list: unknown[],
  path: string,
  on: Walk,
): void {
  const { leaves } = on
  for (const item of list) {
    if (type.mergeKey === '+') {
      leaves.set(pathOf(path, `v:${JSON.stringify(item)}`), '')
      continue
    }
    const at = pathOf(path, itemElement(type.keys, item))
    leaves.set(at, '')
    walk(type.of, item, at, on)
  }
}

/** `k:{"name":"compute"}` */
export function itemElement(keys: readonly string[], item: unknown): string {
  const members = item as Record<string, unknown>
  const own = keys.map((key) => [key, members[key] ?? DEFAULTS[key]])
  return `k:${JSON.stringify(Object.fromEntries(own))}`
}

/** What a key is that an item does not name. */
const DEFAULTS: Record<string, string> = { protocol: 'TCP' }

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
