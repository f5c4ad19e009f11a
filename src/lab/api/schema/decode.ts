import { jsonType, ownFault, scalarFault, schemaType } from './scalars.ts'
import { type FieldType, goType, structNamed } from './type-table.ts'

export interface Decoded<T> {
  /** The value without the fields that its type does not have. */
  value: T
  /** Paths of those fields: `spec.containers[0].foo`. */
  unknown: string[]
  /** Values of the wrong type, in the words of a Go decoder (built-in kinds). */
  goFaults: string[]
  /** The same, as a schema puts it (custom resources). */
  schemaFaults: SchemaFault[]
}

export interface SchemaFault {
  field: string
  /** The value's JSON type: `integer`, `string`, `object` … */
  actual: string
  expected: string
}

/** Reads a JSON value as a type of the table; paths begin with `under`. The value is not changed. */
export function decode<T>(
  typeName: string,
  value: T,
  { keepNulls, under = '' }: { keepNulls: boolean; under?: string },
): Decoded<T> {
  const unknown: string[] = []
  const goFaults: string[] = []
  const schemaFaults: SchemaFault[] = []

  const fail = (at: Place, type: FieldType, actual: unknown, expected: string) => {
    const own = type.shape === 'scalar' ? ownFault(type.scalar, actual) : undefined
    const detail = type.shape === 'scalar' ? scalarFault(type.scalar, actual) : undefined
    const what = detail?.startsWith('cannot') ? detail : `cannot unmarshal ${jsonType(actual)}`
    goFaults.push(
      own ?? `json: ${what} into Go struct field ${at.struct}.${at.goPath} of type ${goType(type)}`,
    )
    schemaFaults.push({ field: at.path, actual: schemaJsonType(actual), expected })
  }

  const walk = (type: FieldType, node: unknown, at: Place): unknown => {
    if (node === null || node === undefined) return node
    if (type.shape === 'scalar') {
      if (scalarFault(type.scalar, node) !== undefined)
        fail(at, type, node, schemaType(type.scalar)!)
      return node
    }
    if (type.shape === 'list') {
      if (Array.isArray(node))
        return node.map((item, i) => walk(type.of, item, { ...at, path: `${at.path}[${i}]` }))
      fail(at, type, node, 'array')
      return node
    }
    if (typeof node !== 'object' || Array.isArray(node)) {
      fail(at, type, node, 'object')
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
      const goPath = at.goPath === '' ? field : `${at.goPath}.${field}`
      result[field] = walk(type, item, { path, goPath, struct: name.replace(/^kv\./, '') })
    }
    return result
  }

  const root = { path: under, goPath: under, struct: typeName.replace(/^kv\./, '') }
  const decoded = walk({ shape: 'struct', name: typeName }, value, root) as T
  return { value: decoded, unknown, goFaults, schemaFaults }
}

/**
 * A null is none, but for times, which are always written (a condition's lastProbeTime) and are nullable in KubeVirt's
 * definitions. What nothing is known of keeps its nulls in a custom resource.
 */
function staysNull(type: FieldType, keepNulls: boolean): boolean {
  return type.shape === 'scalar' && (type.scalar === 'time' || (keepNulls && type.scalar === 'any'))
}

/** Where the walk is; Go's path leaves out indexes and keys, and names the innermost struct. */
interface Place {
  path: string
  goPath: string
  struct: string
}

function schemaJsonType(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return Array.isArray(value) ? 'array' : typeof value
}
