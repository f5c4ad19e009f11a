import { isAtomic } from './apply/atomic.ts'
import type { ApiObject, Kind } from './kind.ts'
import { type FieldType, fieldType } from './schema/type-table.ts'
import { badRequest, StatusError } from './status.ts'

type Json = Record<string, unknown>

/**
 * Kubernetes' strategic merge patch: as a merge patch, except that lists with a merge key merge item by item, and that
 * `$patch: delete|replace`, `$deleteFromPrimitiveList/…`, `$setElementOrder/…` and `$retainKeys` direct it.
 * Changes and returns `target`.
 */
export function strategicMerge(
  kind: Kind,
  target: ApiObject,
  patch: Json,
  arrange: Arrange = patchFirst,
): ApiObject {
  return mergeObject(target, patch, structType(kind.type), arrange) as ApiObject
}

/** The order of a merged list: of what it was before and what the patch names, in the patch's order. */
type Arrange = (list: unknown[], order: unknown[], before: unknown[], key: string) => unknown[]

function structType(name: string | undefined): FieldType | undefined {
  return name === undefined ? undefined : { shape: 'struct', name }
}

function mergeObject(
  target: Json,
  patch: Json,
  type: FieldType | undefined,
  arrange: Arrange,
): Json {
  const { $patch: directive, $retainKeys: retained, ...fields } = patch
  if (directive === 'replace') return fields
  if (directive === 'delete') return {}
  if (directive !== undefined && directive !== 'merge')
    throw badRequest(`Unknown patch type: ${String(directive)}`)
  if (Array.isArray(retained))
    for (const field of Object.keys(target)) if (!retained.includes(field)) delete target[field]
  const orders: { of: string; order: unknown; before: unknown }[] = []
  for (const [field, value] of Object.entries(fields)) {
    const [instruction, of = ''] = field.split(/\/(.*)/)
    if (instruction === '$setElementOrder')
      orders.push({ of, order: value, before: structuredClone(target[of]) })
    else if (instruction === '$deleteFromPrimitiveList') target[of] = without(target[of], value)
    else if (arrange === interleaved && isWhole(type, field)) target[field] = value
    else mergeField(target, field, value, fieldType(type, field), arrange)
  }
  for (const { of, order, before } of orders) {
    const [list, key] = [target[of], mergeKey(fieldType(type, of))]
    if (Array.isArray(list) && Array.isArray(order) && key !== undefined)
      target[of] = arrange(list, order, Array.isArray(before) ? before : [], key)
  }
  return target
}

function isWhole(type: FieldType | undefined, field: string): boolean {
  const of = fieldType(type, field)
  return of !== undefined && isAtomic(type, field, of)
}

function mergeKey(type: FieldType | undefined): string | undefined {
  return type?.shape === 'list' ? type.mergeKey : undefined
}

function mergeField(
  target: Json,
  field: string,
  value: unknown,
  type: FieldType | undefined,
  arrange: Arrange,
): void {
  const current = target[field]
  if (value === null) delete target[field]
  else if (Array.isArray(value))
    target[field] = mergeList(Array.isArray(current) ? current : [], value, type, arrange)
  else if (typeof value === 'object')
    target[field] = mergeObject(isJson(current) ? current : {}, value as Json, type, arrange)
  else target[field] = value
}

function mergeList(
  list: unknown[],
  patch: unknown[],
  type: FieldType | undefined,
  arrange: Arrange,
): unknown[] {
  const isReplace = (item: unknown) => isJson(item) && item['$patch'] === 'replace'
  if (patch.some(isReplace)) return patch.filter((item) => !isReplace(item))
  const key = mergeKey(type)
  if (key === undefined) return patch
  if (key === '+') return arrange([...new Set([...list, ...patch])], patch, list, key)
  const before = [...list]
  const itemType = type?.shape === 'list' ? type.of : undefined
  for (const item of patch) {
    if (!isJson(item)) throw badRequest(`expected an object with key ${key}, got ${typeof item}`)
    if (item[key] === undefined)
      throw new StatusError(
        500,
        undefined,
        `map: ${goMap(item)} does not contain declared merge key: ${key}`,
      )
    const index = list.findIndex((other) => isJson(other) && other[key] === item[key])
    if (item['$patch'] === 'delete') {
      if (index >= 0) list.splice(index, 1)
    } else if (index >= 0) list[index] = mergeObject(list[index] as Json, item, itemType, arrange)
    else list.push(mergeObject({}, item, itemType, arrange))
  }
  return arrange(list, patch, before, key)
}

/** As Go prints one: `map[status:True]` */
function goMap(item: Json): string {
  const fields = Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))
  return `map[${fields.map(([field, value]) => `${field}:${String(value)}`).join(' ')}]`
}

/**
 * Items that a patch names (in its items, or in an order of its own) come in its order. Each of the others stands before
 * the first of those that it stood before already, where that can be without changing their own order.
 */
function patchFirst(list: unknown[], order: unknown[], before: unknown[], key: string): unknown[] {
  const idOf = (item: unknown) => (key !== '+' && isJson(item) ? item[key] : item)
  const rank = new Map(order.map((item, index) => [idOf(item), index]))
  const place = new Map(before.map((item, index) => [idOf(item), index]))
  const isNamed = (item: unknown) => rank.has(idOf(item))
  const named = list.filter(isNamed).sort((a, b) => rank.get(idOf(a))! - rank.get(idOf(b))!)
  const others = list.filter((item) => !isNamed(item))
  const result: unknown[] = []
  for (const item of named) {
    while (others.length > 0 && place.get(idOf(others[0]))! < (place.get(idOf(item)) ?? -1))
      result.push(others.shift())
    result.push(item)
  }
  return [...result, ...others]
}

/**
 * Server-side apply's order: what was there and what is applied, interleaved at what both have; what was there is first
 * where nothing tells.
 */
export function interleaved(
  list: unknown[],
  order: unknown[],
  before: unknown[],
  key: string,
): unknown[] {
  const idOf = (item: unknown) => (key !== '+' && isJson(item) ? item[key] : item)
  const merged = new Map(list.map((item) => [idOf(item), item]))
  const [was, applied] = [before.map(idOf), order.map(idOf)]
  const ids = new Set<unknown>()
  while (was.length + applied.length > 0) {
    if (was.length > 0 && !order.some((item) => idOf(item) === was[0])) ids.add(was.shift())
    else if (applied.length > 0) {
      const id = applied.shift()
      ids.add(id)
      if (was[0] === id) was.shift()
    } else ids.add(was.shift())
  }
  return [...ids].filter((id) => merged.has(id)).map((id) => merged.get(id))
}

function without(list: unknown, values: unknown): unknown {
  return Array.isArray(list) && Array.isArray(values)
    ? list.filter((item) => !values.includes(item))
    : list
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
