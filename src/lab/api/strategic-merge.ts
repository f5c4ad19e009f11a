import type { ApiObject, Kind } from './kind.ts'
import { type FieldType, fieldType } from './schema/type-table.ts'
import { badRequest } from './status.ts'

type Json = Record<string, unknown>

/**
 * Kubernetes' strategic merge patch: as a merge patch, except that lists with a merge key merge item by item, and that
 * `$patch: delete|replace`, `$deleteFromPrimitiveList/…`, `$setElementOrder/…` and `$retainKeys` direct it.
 * Changes and returns `target`.
 */
export function strategicMerge(kind: Kind, target: ApiObject, patch: Json): ApiObject {
  return mergeObject(target, patch, structType(kind.type)) as ApiObject
}

function structType(name: string | undefined): FieldType | undefined {
  return name === undefined ? undefined : { shape: 'struct', name }
}

function mergeObject(target: Json, patch: Json, type: FieldType | undefined): Json {
  const { $patch: directive, $retainKeys: retained, ...fields } = patch
  if (directive === 'replace') return fields
  if (directive === 'delete') return {}
  if (directive !== undefined && directive !== 'merge')
    throw badRequest(`Unknown patch type: ${String(directive)}`)
  if (Array.isArray(retained))
    for (const field of Object.keys(target)) if (!retained.includes(field)) delete target[field]
  const orders: [field: string, order: unknown][] = []
  for (const [field, value] of Object.entries(fields)) {
    const [instruction, of = ''] = field.split(/\/(.*)/)
    if (instruction === '$setElementOrder') orders.push([of, value])
    else if (instruction === '$deleteFromPrimitiveList') target[of] = without(target[of], value)
    else mergeField(target, field, value, fieldType(type, field))
  }
  for (const [field, order] of orders)
    target[field] = ordered(target[field], order, mergeKey(fieldType(type, field)))
  return target
}

function mergeKey(type: FieldType | undefined): string | undefined {
  return type?.shape === 'list' ? type.mergeKey : undefined
}

function mergeField(
  target: Json,
  field: string,
  value: unknown,
  type: FieldType | undefined,
): void {
  const current = target[field]
  if (value === null) delete target[field]
  else if (Array.isArray(value))
    target[field] = mergeList(Array.isArray(current) ? current : [], value, type)
  else if (typeof value === 'object')
    target[field] = mergeObject(isJson(current) ? current : {}, value as Json, type)
  else target[field] = value
}

function mergeList(list: unknown[], patch: unknown[], type: FieldType | undefined): unknown[] {
  const isReplace = (item: unknown) => isJson(item) && item['$patch'] === 'replace'
  if (patch.some(isReplace)) return patch.filter((item) => !isReplace(item))
  const key = mergeKey(type)
  if (key === undefined) return patch
  if (key === '+') return [...new Set([...list, ...patch])]
  const itemType = type?.shape === 'list' ? type.of : undefined
  for (const item of patch) {
    if (!isJson(item)) throw badRequest(`expected an object with key ${key}, got ${typeof item}`)
    if (item[key] === undefined)
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`)
    const index = list.findIndex((other) => isJson(other) && other[key] === item[key])
    if (item['$patch'] === 'delete') {
      if (index >= 0) list.splice(index, 1)
    } else if (index >= 0) list[index] = mergeObject(list[index] as Json, item, itemType)
    else list.push(mergeObject({}, item, itemType))
  }
  return list
}

/** Items that the order names come in that order; the others keep their place behind what they followed. */
function ordered(list: unknown, order: unknown, key: string | undefined): unknown {
  if (!Array.isArray(list) || !Array.isArray(order) || key === undefined) return list
  const idOf = (item: unknown) => (key !== '+' && isJson(item) ? item[key] : item)
  const ranks = new Map(order.map((item, rank) => [idOf(item), rank]))
  let last = -1
  const ranked = list.map((item) => {
    last = ranks.get(idOf(item)) ?? last
    return { item, rank: last }
  })
  return ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item)
}

function without(list: unknown, values: unknown): unknown {
  return Array.isArray(list) && Array.isArray(values)
    ? list.filter((item) => !values.includes(item))
    : list
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
