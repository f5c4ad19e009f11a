import { isDeepStrictEqual } from 'node:util'
import { type Api, timestamp } from '../api.ts'
import { membersByName } from '../field-order.ts'
import { type ApiObject, apiVersionOf, type Kind } from '../kind.ts'
import { badRequest } from '../status.ts'
import { interleaved, strategicMerge } from '../strategic-merge.ts'
import { conflictError, findConflicts } from './conflicts.ts'
import { difference, type FieldSet, union, withParents } from './field-set.ts'
import { compare, type Leaves, leavesOf, pathsOf } from './leaves.ts'
import { isSameManager, type Manager, readManagers, writeManagers } from './managers.ts'
import { prune } from './prune.ts'
import { managedFieldsOf } from './track.ts'

export interface ApplyOptions {
  manager: string
  /** Takes what others own instead of giving 409. */
  force: boolean
  subresource: string
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * Server-side apply: the object with the applied fields merged in, what its manager applied before and does not any more
 * taken out, and its ownership noted. `live` is undefined for a new object. Throws 409 naming the owners of fields that
 * would change. Never changes its arguments.
 */
export function applyTo(
  api: Api,
  kind: Kind,
  live: ApiObject | undefined,
  applied: ApiObject,
  { manager, force, subresource }: ApplyOptions,
): ApiObject {
  if (managedFieldsOf(applied) !== undefined) throw badRequest('metadata.managedFields must be nil')
  const owned = ownable(kind, applied, subresource)
  const me = { manager, operation: 'Apply' as const, apiVersion: apiVersionOf(kind), subresource }
  const base = live ?? ({ metadata: {} } as ApiObject)
  const managers = managersOf(kind, base, live !== undefined, timestamp(api.now()))
  const others = managers.filter((other) => !isSameManager(me, other))
  const previous = managers.find((other) => isSameManager(me, other))

  const liveLeaves = leavesOf(kind.type, base)
  const merged = strategicMerge(kind, structuredClone(base), structuredClone(applied), interleaved)
  const changed = compare(liveLeaves, leavesOf(kind.type, merged)).changed
  const conflicts = findConflicts(others, changed)
  const mayForce =
    force || (manager === 'kubectl' && wereAppliedByClient(kind, base, liveLeaves, conflicts))
  if (conflicts.length > 0 && !mayForce) throw conflictError(conflicts)

  const left = managers.map(
    (other): Manager =>
      other === previous ? other : { ...other, fields: difference(other.fields, changed) },
  )
  const kept = left.reduce<FieldSet>(
    (set, other) => (other === previous ? set : union(set, other.fields)),
    owned,
  )
  const result = prune(merged, difference(previous?.fields ?? new Set(), withParents(kept)))
  if (manager === 'kubectl') noteLastApplied(result, applied)
  const time = isSame(base, result) ? (previous?.time ?? '') : timestamp(api.now())
  const all = [...left.filter((other) => other !== previous), { ...me, fields: owned, time }]
  result.metadata = {
    ...result.metadata,
    managedFields: writeManagers(all),
  } as unknown as ApiObject['metadata']
  return result
}

/** Who changes nothing was never there at any time. */
function isSame(base: ApiObject, result: ApiObject): boolean {
  const bare = ({ metadata, ...rest }: ApiObject) => {
    const { managedFields: _, ...own } = metadata as typeof metadata & { managedFields?: unknown }
    return { ...rest, metadata: own }
  }
  return isDeepStrictEqual(bare(base), bare(result))
}

/** What an apply to this path takes possession of. */
function ownable(kind: Kind, applied: ApiObject, subresource: string): FieldSet {
  const paths = [...pathsOf(leavesOf(kind.type, applied))]
  const isStatus = (path: string) => path === 'f:status' || path.startsWith('f:status\n')
  if (!kind.hasStatus) return new Set(paths)
  return new Set(paths.filter((path) => isStatus(path) === (subresource === 'status')))
}

/** An object that was never tracked belongs, as it is, to whoever was there before. */
function managersOf(kind: Kind, base: ApiObject, exists: boolean, time: string): Manager[] {
  const managers = readManagers(managedFieldsOf(base))
  if (managers.length > 0 || !exists) return managers
  return [
    {
      manager: 'before-first-apply',
      operation: 'Update',
      apiVersion: apiVersionOf(kind),
      time,
      subresource: '',
      fields: pathsOf(leavesOf(kind.type, base)),
    },
  ]
}

/** Keeps the note of a client-side apply true, where there is one. */
function noteLastApplied({ metadata }: ApiObject, applied: ApiObject): void {
  if (metadata.annotations?.[LAST_APPLIED] === undefined) return
  metadata.annotations = {
    ...metadata.annotations,
    [LAST_APPLIED]: `${JSON.stringify(membersByName(applied))}\n`,
  }
}

/** `kubectl apply` without --server-side noted what it applied: taking that over is no conflict. */
function wereAppliedByClient(
  kind: Kind,
  { metadata }: ApiObject,
  live: Leaves,
  conflicts: { path: string }[],
): boolean {
  const text = metadata.annotations?.[LAST_APPLIED]
  if (!text) return false
  try {
    const noted = leavesOf(kind.type, JSON.parse(text) as object)
    return conflicts.every(({ path }) => noted.has(path) && noted.get(path) === live.get(path))
  } catch {
    return false
  }
}
