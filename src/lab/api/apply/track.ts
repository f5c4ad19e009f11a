import { type Api, timestamp, type WriteOptions } from '../api.ts'
import { type ApiObject, apiVersionOf, type Kind } from '../kind.ts'
import { difference, union } from './field-set.ts'
import { compare, nodesOf } from './leaves.ts'
import {
  isSameManager,
  type Manager,
  readManagers,
  withManager,
  writeManagers,
} from './managers.ts'

/**
 * Writes into `metadata.managedFields` of `next` that its writer owns what it changed. As in Kubernetes, an object that
 * has none is not tracked before its first apply; and the lab's own components leave theirs without, since all of their
 * events would carry it.
 */
export function trackUpdate(
  api: Api,
  kind: Kind,
  current: ApiObject | undefined,
  next: ApiObject,
  { user, fieldManager }: WriteOptions,
  subresource: string,
): void {
  const { metadata } = next as { metadata: { managedFields?: unknown } }
  const sent = readManagers(metadata.managedFields)
  const isReset = Array.isArray(metadata.managedFields) && sent.length === 0
  const managers = sent.length > 0 || !current ? sent : readManagers(managedFieldsOf(current))
  delete metadata.managedFields
  if (isReset && current) return
  if (current ? managers.length === 0 : user.name.startsWith('system:')) return

  const { changed, removed } = compare(
    current ? nodesOf(kind.type, current) : new Map(),
    nodesOf(kind.type, next),
  )
  const me = {
    manager: fieldManager,
    operation: 'Update' as const,
    apiVersion: apiVersionOf(kind),
    subresource: isOwnPath(kind, subresource) ? subresource : '',
  }
  const gone = union(changed, removed)
  const others = managers.map(
    (manager): Manager =>
      isSameManager(me, manager)
        ? manager
        : { ...manager, fields: difference(manager.fields, gone) },
  )
  const mine = managers.find((manager) => isSameManager(me, manager))?.fields ?? new Set<string>()
  const fields = difference(union(mine, changed), removed)
  const all = withManager(others, { ...me, fields, time: timeOf(subresource, api.now()) })
  const written = writeManagers(all)
  if (written) metadata.managedFields = written
}

/** Of those who scale Kubernetes notes no time. */
function timeOf(subresource: string, now: number): string {
  return subresource === 'scale' ? '' : timestamp(now)
}

/** Whether managers are told apart by it; a VMI without status subresource has but one path. */
function isOwnPath({ hasStatus }: Kind, subresource: string): boolean {
  return subresource === 'scale' || (subresource === 'status' && hasStatus)
}

export function managedFieldsOf({ metadata }: ApiObject): unknown {
  return (metadata as { managedFields?: unknown }).managedFields
}
