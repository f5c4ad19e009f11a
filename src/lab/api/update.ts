import { isDeepStrictEqual } from 'node:util'
import { runMutation, runValidation } from './admission/hook.ts'
import { type Api, admissionRequest, type WriteOptions } from './api.ts'
import { trackUpdate } from './apply/track.ts'
import { inOrder } from './field-order.ts'
import type { ApiObject, Kind } from './kind.ts'
import { dropEmptyMaps } from './metadata.ts'
import { badRequest, conflict, invalid, modified, notFound, StatusError } from './status.ts'
import { demandSpec, validateObject } from './validate.ts'

export interface UpdateTarget {
  namespace: string | undefined
  name: string
  /** `status`, another subresource that changes the object, or empty for the object itself. */
  subresource: string
}

/**
 * Replaces an object by what `produce` makes of it; `produce` gets the stored, frozen state and returns a private copy.
 * Nothing is written, and no event sent, when nothing changed. An object that is being deleted goes with its last finalizer.
 */
export function update(
  api: Api,
  kind: Kind,
  { namespace, name, subresource }: UpdateTarget,
  produce: (current: ApiObject) => ApiObject,
  options: WriteOptions,
): ApiObject {
  const current = api.store.get(kind, namespace, name)
  if (!current) throw notFound(kind, name)
  const sent = produce(current)
  kind.defaults?.(sent)
  demandSameIdentity(kind, sent, current, namespace)
  keepSystemFields(sent, current)
  confineTo(kind, subresource, sent, current)
  kind.preserve?.(sent, current)
  dropEmptyMaps(sent)
  demandSpec(kind, sent, false)
  // Before admission: what webhooks change belongs to nobody.
  if (!options.ownershipSettled) trackUpdate(api, kind, current, sent, options, subresource)

  const request = {
    ...admissionRequest(api, kind, { namespace, name }, options),
    operation: 'UPDATE' as const,
    subresource,
    oldObject: current,
  }
  const next = runMutation(api.admission, { ...request, object: sent })
  dropEmptyMaps(next)
  validateObject(kind, next, subresource === 'binding' ? undefined : current)
  forbidNewFinalizers(kind, next, current)
  if (subresource !== 'binding') countGeneration(kind, next, current)
  const effects = runValidation(api.admission, { ...request, object: next })

  if (isDeepStrictEqual(next, current)) return current
  if (options.dryRun) return inOrder(kind, next)
  const written =
    isGone(next) && !kind.isHeld?.(next) ? vanish(api, kind, next) : api.store.replace(kind, next)
  for (const effect of effects) effect()
  return written
}

function demandSameIdentity(
  kind: Kind,
  next: ApiObject,
  current: ApiObject,
  namespace: string | undefined,
): void {
  const { metadata } = next
  const { name, uid, resourceVersion } = current.metadata
  if (!metadata.name)
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    )
  if (metadata.name !== name)
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    )
  if (kind.namespaced && metadata.namespace && metadata.namespace !== namespace)
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  if (metadata.uid && metadata.uid !== uid)
    throw conflict(
      kind,
      name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(kind, namespace, name)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`,
    )
  const asked = metadata.resourceVersion
  if (!asked && !kind.unconditionalUpdate)
    // The one refusal that calls a kind by its plural.
    throw invalid({ group: kind.group, kind: kind.plural }, name, [
      {
        field: 'metadata.resourceVersion',
        reason: 'FieldValueInvalid',
        message: 'Invalid value: 0: must be specified for an update',
      },
    ])
  if (asked && !/^\d+$/.test(asked))
    throw new StatusError(
      500,
      undefined,
      `strconv.ParseUint: parsing ${JSON.stringify(asked)}: invalid syntax`,
    )
  if (asked && asked !== resourceVersion) throw modified(kind, name)
}

/** Where Kubernetes keeps an object in etcd. */
function storageKey(kind: Kind, namespace: string | undefined, name: string): string {
  const folder = kind.builtIn ? kind.plural : `${kind.group}/${kind.plural}`
  return ['/registry', folder, ...(namespace === undefined ? [] : [namespace]), name].join('/')
}

/** What no client may change. */
function keepSystemFields({ metadata }: ApiObject, current: ApiObject): void {
  const old = current.metadata
  metadata.name = old.name
  for (const field of SYSTEM_FIELDS) {
    if (old[field] === undefined) delete metadata[field]
    else Object.assign(metadata, { [field]: old[field] })
  }
}

const SYSTEM_FIELDS = [
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

/** The object's own path leaves status alone, the status path everything else; `binding` and the like change both. */
function confineTo(kind: Kind, subresource: string, next: ApiObject, current: ApiObject): void {
  if (subresource === 'status') {
    for (const field of Object.keys(next))
      if (field !== 'status' && field !== 'metadata') delete next[field]
    for (const [field, value] of Object.entries(current))
      if (field !== 'status' && field !== 'metadata') next[field] = value
    // Built-in kinds take labels and annotations through the status path too, custom resources take nothing.
    if (!kind.builtIn) next.metadata = { ...current.metadata, ...pickManagedFields(next.metadata) }
  } else if (subresource === '' && kind.hasStatus) {
    if (current['status'] === undefined) delete next['status']
    else next['status'] = current['status']
  }
}

/** Whose status it is may change with the status. */
function pickManagedFields(metadata: object): object {
  return 'managedFields' in metadata ? { managedFields: metadata.managedFields } : {}
}

function forbidNewFinalizers(kind: Kind, next: ApiObject, current: ApiObject): void {
  if (!current.metadata.deletionTimestamp) return
  const old = new Set(current.metadata.finalizers)
  const added = (next.metadata.finalizers ?? []).filter((finalizer) => !old.has(finalizer))
  if (added.length === 0) return
  const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ')
  const fault = {
    field: 'metadata.finalizers',
    reason: 'FieldValueForbidden',
    message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
  }
  // Of a built-in kind it is looked at twice, and said once.
  throw invalid(kind, next.metadata.name, kind.builtIn ? [fault, fault] : [fault])
}

function countGeneration(kind: Kind, next: ApiObject, current: ApiObject): void {
  if (!kind.hasGeneration) return
  const meaning = ({ metadata: _metadata, status, ...rest }: ApiObject) =>
    kind.hasStatus ? rest : { ...rest, status }
  if (!isDeepStrictEqual(meaning(next), meaning(current)))
    next.metadata.generation = (current.metadata.generation ?? 0) + 1
}

/** Whether nothing holds an object any more that is being deleted. */
function isGone({ metadata }: ApiObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0
  )
}

function vanish({ store }: Api, kind: Kind, object: ApiObject): ApiObject {
  store.remove(kind, object.metadata.namespace, object.metadata.name)
  return object
}
