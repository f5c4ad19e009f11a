import type { ApiObject, Kind } from './kind.ts'
import { type FieldType, fieldType, structNamed } from './schema/type-table.ts'

type Json = Record<string, unknown>

/**
 * The object with its fields in the order in which Kubernetes writes them: a built-in kind's as its type declares them, all
 * else (custom resources, the keys of maps) by name.
 */
export function inOrder(kind: Kind, object: ApiObject): ApiObject {
  if (!kind.builtIn || kind.type === undefined) return byName(object) as ApiObject
  const { kind: name, apiVersion, ...rest } = object
  return {
    ...(name !== undefined && { kind: name }),
    ...(apiVersion !== undefined && { apiVersion }),
    ...(byType(rest, { shape: 'struct', name: kind.type }) as ApiObject),
  }
}

function byType(value: unknown, type: FieldType | undefined): unknown {
  if (Array.isArray(value)) {
    const of = type?.shape === 'list' ? type.of : undefined
    return value.map((item) => byType(item, of))
  }
  if (!isJson(value)) return value
  if (type?.shape !== 'struct') return byName(value, (field) => fieldType(type, field))
  const known = [...structNamed(type.name).keys()].filter((field) => Object.hasOwn(value, field))
  const others = Object.keys(value).filter((field) => !structNamed(type.name).has(field))
  return pick(value, [...known, ...others], (field) => fieldType(type, field))
}

function byName(
  value: unknown,
  typeOf: (field: string) => FieldType | undefined = () => undefined,
): unknown {
  if (Array.isArray(value)) return value.map((item) => byName(item))
  return isJson(value) ? pick(value, Object.keys(value).sort(), typeOf) : value
}

function pick(
  value: Json,
  fields: string[],
  typeOf: (field: string) => FieldType | undefined,
): Json {
  return Object.fromEntries(fields.map((field) => [field, byType(value[field], typeOf(field))]))
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}
