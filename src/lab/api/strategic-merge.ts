import type { ApiObject, Kind } from './kind.ts'
import { badRequest } from './status.ts'

type Json = Record<string, unknown>

/**
 * Kubernetes' strategic merge patch: as a merge patch, except that lists with a merge key merge item by item, and that
 * `$patch: delete|replace`, `$deleteFromPrimitiveList/…`, `$setElementOrder/…` and `$retainKeys` direct it.
 * Changes and returns `target`.
 */
export function strategicMerge(_kind: Kind, target: ApiObject, patch: Json): ApiObject {
  return mergeObject(target, patch, '') as ApiObject
}

function mergeObject(target: Json, patch: Json, path: string): Json {
  const { $patch: directive, $retainKeys: retained, ...fields } = patch
  if (directive === 'replace') return fields
  if (directive === 'delete') return {}
  if (directive !== undefined && directive !== 'merge')
    throw badRequest(`Unknown patch type: ${String(directive)}`)
  if (Array.isArray(retained))
    for (const field of Object.keys(target)) if (!retained.includes(field)) delete target[field]
  for (const [field, value] of Object.entries(fields)) {
    const [instruction, of] = field.split('/', 2)
    if (instruction === '$deleteFromPrimitiveList' && of !== undefined)
      target[of] = without(target[of], value)
    else if (instruction !== '$setElementOrder') mergeField(target, field, value, join(path, field))
  }
  for (const [field, order] of Object.entries(fields)) {
    const [instruction, of] = field.split('/', 2)
    if (instruction === '$setElementOrder' && of !== undefined)
      target[of] = ordered(target[of], order, mergeKey(join(path, of)))
  }
  return target
}

function mergeField(target: Json, field: string, value: unknown, path: string): void {
  if (value === null) delete target[field]
  else if (Array.isArray(value)) target[field] = mergeList(target[field], value, path)
  else if (typeof value === 'object')
    target[field] = mergeObject(isJson(target[field]) ? target[field] : {}, value as Json, path)
  else target[field] = value
}

function mergeList(current: unknown, patch: unknown[], path: string): unknown[] {
  const list = Array.isArray(current) ? current : []
  if (patch.some((item) => isJson(item) && item['$patch'] === 'replace'))
    return patch.filter((item) => !(isJson(item) && item['$patch'] === 'replace'))
  const key = mergeKey(path)
  if (key === undefined) return patch
  if (key === '') return [...new Set([...list, ...patch])]
  for (const item of patch) {
    if (!isJson(item)) throw badRequest(`expected an object in ${path}, got ${typeof item}`)
    if (item[key] === undefined)
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`)
    const index = list.findIndex((other) => isJson(other) && other[key] === item[key])
    if (item['$patch'] === 'delete') {
      if (index >= 0) list.splice(index, 1)
    } else if (index >= 0) list[index] = mergeObject(list[index] as Json, item, path)
    else list.push(mergeObject({}, item, path))
  }
  return list
}

/** Items that the order names come in that order; the others keep their place behind what they followed. */
function ordered(list: unknown, order: unknown, key: string | undefined): unknown {
  if (!Array.isArray(list) || !Array.isArray(order) || key === undefined) return list
  const idOf = (item: unknown) => (key !== '' && isJson(item) ? item[key] : item)
  const ranks = new Map(order.map((item, rank) => [idOf(item), rank]))
  let last = -1
  const ranked = list.map((item) => {
    const rank = ranks.get(idOf(item))
    if (rank !== undefined) last = rank
    return { item, rank: rank ?? last }
  })
  return ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item)
}

function without(list: unknown, values: unknown): unknown {
  return Array.isArray(list) && Array.isArray(values)
    ? list.filter((item) => !values.includes(item))
    : list
}

/**
 * The merge key of a list by the end of its path; '' for a set of plain values, undefined for a list that is replaced
 * as a whole. From the patchMergeKey tags of k8s.io/api/core/v1 and meta/v1.
 */
function mergeKey(path: string): string | undefined {
  return MERGE_KEYS.find(([pattern]) => pattern.test(path))?.[1]
}

const MERGE_KEYS: [RegExp, string][] = [
  [/^metadata\.finalizers$/, ''],
  [/^metadata\.ownerReferences$/, 'uid'],
  [/^status\.conditions$/, 'type'],
  [/^status\.addresses$/, 'type'],
  [/^status\.podIPs$/, 'ip'],
  [/^status\.hostIPs$/, 'ip'],
  [/^(imagePullSecrets|secrets)$/, 'name'],
  [/^spec\.(podCIDRs|persistentVolumeReclaimPolicy)$/, ''],
  [
    /(^|\.)spec\.(containers|initContainers|ephemeralContainers|volumes|imagePullSecrets|resourceClaims|schedulingGates)$/,
    'name',
  ],
  [/(^|\.)spec\.hostAliases$/, 'ip'],
  [/(^|\.)spec\.topologySpreadConstraints$/, 'topologyKey'],
  [/[cC]ontainers\.(env|resizePolicy)$/, 'name'],
  [/[cC]ontainers\.ports$/, 'containerPort'],
  [/[cC]ontainers\.volumeMounts$/, 'mountPath'],
  [/[cC]ontainers\.volumeDevices$/, 'devicePath'],
  [/^spec\.ports$/, 'port'],
]

function join(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
