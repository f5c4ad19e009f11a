import { runValidation } from './admission/hook.ts'
import { type Api, admissionRequest, timestamp, type WriteOptions } from './api.ts'
import type { ApiObject, Kind } from './kind.ts'
import { conflict, notFound, type Status } from './status.ts'

/** The body of a DELETE (meta/v1 DeleteOptions). */
export interface DeleteOptions {
  gracePeriodSeconds?: number
  propagationPolicy?: string
  orphanDependents?: boolean
  preconditions?: { uid?: string; resourceVersion?: string }
}

/**
 * Deletes an object, or starts its deletion: finalizers hold it until they are taken off, a kubelet's grace period
 * until the kubelet deletes it with grace 0. Returns what the API answers: the object, or a Status.
 */
export function remove(
  api: Api,
  kind: Kind,
  namespace: string | undefined,
  name: string,
  deletion: DeleteOptions,
  options: WriteOptions,
): ApiObject | Status {
  const current = api.store.get(kind, namespace, name)
  if (!current) throw notFound(kind, name)
  demandPreconditions(kind, current, deletion)
  const effects = runValidation(api.admission, {
    ...admissionRequest(api, kind, { namespace, name }, options),
    operation: 'DELETE',
    subresource: '',
    object: undefined,
    oldObject: current,
  })

  const grace = kind.graceSeconds?.(current, deletion.gracePeriodSeconds) ?? 0
  const finalizers = withPropagation(current.metadata.finalizers ?? [], deletion)
  const goes = grace === 0 && finalizers.length === 0 && !kind.isHeld?.(current)
  const next = marked(current, grace, finalizers, api.now())
  const deleting = next && (kind.onDeletion?.(next) ?? next)
  // Of an object with a grace period even its last moment is a state of its own, which watchers see.
  const seen = !goes || kind.graceSeconds !== undefined
  const last = seen && deleting && !options.dryRun ? api.store.replace(kind, deleting) : deleting
  if (!goes) return last ?? current
  if (!options.dryRun) api.store.remove(kind, namespace, name)
  for (const effect of options.dryRun ? [] : effects) effect()
  if (!kind.returnsDeleted) return success(kind, current)
  return seen ? (last ?? current) : current
}

function demandPreconditions(kind: Kind, { metadata }: ApiObject, deletion: DeleteOptions): void {
  const { uid, resourceVersion } = deletion.preconditions ?? {}
  // The one refusal that calls a resource by its kind.
  const named = { group: kind.group, plural: kind.kind }
  if (uid && uid !== metadata.uid)
    throw conflict(
      named,
      metadata.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    )
  if (resourceVersion && resourceVersion !== metadata.resourceVersion)
    throw conflict(
      named,
      metadata.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    )
}

function withPropagation(finalizers: readonly string[], deletion: DeleteOptions): string[] {
  const kept = finalizers.filter((f) => f !== 'foregroundDeletion' && f !== 'orphan')
  const { propagationPolicy, orphanDependents } = deletion
  if (propagationPolicy === 'Foreground') return [...kept, 'foregroundDeletion']
  if (propagationPolicy === 'Orphan' || orphanDependents) return [...kept, 'orphan']
  return propagationPolicy === 'Background' || orphanDependents === false ? kept : [...finalizers]
}

/** The object with its deletion started, or brought forward; undefined when that changes nothing. */
function marked(
  current: ApiObject,
  grace: number,
  finalizers: string[],
  now: number,
): ApiObject | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation } = current.metadata
  if (deletionTimestamp && grace >= deletionGracePeriodSeconds) return undefined
  return {
    ...current,
    metadata: {
      ...current.metadata,
      ...(generation === undefined || deletionTimestamp ? {} : { generation: generation + 1 }),
      deletionTimestamp: timestamp(now + grace * 1000),
      deletionGracePeriodSeconds: grace,
      ...(finalizers.length > 0 ? { finalizers } : {}),
    },
  }
}

function success(kind: Kind, { metadata }: ApiObject): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: metadata.name,
      ...(kind.group ? { group: kind.group } : {}),
      kind: kind.plural,
      ...(metadata.uid ? { uid: metadata.uid } : {}),
    },
  }
}
