import { scalarFault } from './scalars.ts'
import { type FieldType, fieldsOf, structNamed } from './type-table.ts'

export interface Decoded<T> {
  /** The value without the fields that its type does not have. */
  value: T
  /** Paths of those fields: `spec.containers[0].foo`. */
  unknown: string[]
  /** Values of the wrong type, in the order of the value. */
  faults: Fault[]
}

/** A value of the wrong type; fault-texts.ts has what is said of it. */
export interface Fault extends Place {
  type: FieldType
  value: unknown
  /** A number as it is written, where that is unusual. */
  literal: string | undefined
}

interface Options {
  keepNulls: boolean
  /** Where the value stands; default at the root of an object. */
  at?: Place
  /** Numbers as they are written, by path, where that is unusual. */
  literals?: ReadonlyMap<string, string> | undefined
}

/** Reads a JSON value as a type of the table. The value is not changed. */
export function decode<T>(
  typeName: string,
  value: T,
  { keepNulls, at, literals }: Options,
): Decoded<T> {
  const unknown: string[] = []
  const faults: Fault[] = []

  const fail = (at: Place, type: FieldType, value: unknown, literal?: string) =>
    faults.push({ ...at, type, value, literal })

  const walk = (type: FieldType, node: unknown, at: Place): unknown => {
    if (node === null || node === undefined) return node
    if (type.shape === 'scalar') {
      const literal = literals?.get(at.path)
      if (scalarFault(type.scalar, node, literal) !== undefined) fail(at, type, node, literal)
      return node
    }
    if (type.shape === 'list') {
      if (Array.isArray(node))
        return node.map((item, i) => walk(type.of, item, { ...at, path: `${at.path}[${i}]` }))
      fail(at, type, node)
      return node
    }
    if (typeof node !== 'object' || Array.isArray(node)) {
      fail(at, type, node)
      return node
    }
    return type.shape === 'map' ? walkMap(type.of, node, at) : walkStruct(type.name, node, at)
  }

  const walkMap = (of: FieldType, node: object, at: Place) =>
    Object.fromEntries(
      Object.entries(node).map(([key, item]) => [
        key,
        // Go reads a null among texts as an empty one.
        item === null && of.shape === 'scalar' && of.scalar === 'string'
          ? ''
          : walk(of, item, { ...at, path: `${at.path}.${key}` }),
      ]),
    )

  const walkStruct = (name: string, node: object, at: Place) => {
    const struct = structNamed(name)
    const result: Record<string, unknown> = {}
    for (const [field, item] of Object.entries(node)) {
      const type = struct.get(field)
      const path = at.path === '' ? field : `${at.path}.${field}`
      if (!type) {
        unknown.push(path)
        continue
      }
      if (item === null && !staysNull(type, keepNulls)) continue
      if (!keepNulls && isNothing(type, item) && !isKept(name, field)) continue
      const goPath = at.goPath === '' ? field : `${at.goPath}.${field}`
      result[field] = walk(type, item, { path, goPath, struct: name.replace(/^kv\./, '') })
    }
    return result
  }

  const root = at ?? { path: '', goPath: '', struct: typeName.replace(/^kv\./, '') }
  const decoded = walk({ shape: 'struct', name: typeName }, value, root) as T
  return { value: decoded, unknown, faults }
}

/** That nobody manages anything any more is said by a list of none. */
function isKept(struct: string, field: string): boolean {
  return field === 'managedFields' || (fieldsOf(struct)?.get(field)?.isAlways ?? false)
}

/** Go does not write a list or map of none. */
function isNothing(type: FieldType, value: unknown): boolean {
  if (type.shape === 'list') return Array.isArray(value) && value.length === 0
  return type.shape === 'map' && isObject(value) && Object.keys(value).length === 0
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * A null is none, but for times, which are always written (a condition's lastProbeTime) and are nullable in KubeVirt's
 * definitions. What nothing is known of keeps its nulls in a custom resource.
 */
function staysNull(type: FieldType, keepNulls: boolean): boolean {
  return type.shape === 'scalar' && (type.scalar === 'time' || (keepNulls && type.scalar === 'any'))
}

/** Where the walk is; Go's path leaves out indexes and keys, and names the innermost struct. */
export interface Place {
  path: string
  goPath: string
  struct: string
}
