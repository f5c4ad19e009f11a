import type { OwnerReference } from '../../kubevirt/types.ts'
import type { Api, WriteOptions } from './api.ts'
import type { ApiObject, Kind } from './kind.ts'
import { later } from './later.ts'
import { remove } from './remove.ts'
import type { StoreEvent } from './store.ts'
import { update } from './update.ts'

const FOREGROUND = 'foregroundDeletion'
const ORPHAN = 'orphan'

const OPTIONS: WriteOptions = {
  user: {
    name: 'system:serviceaccount:kube-system:generic-garbage-collector',
    groups: ['system:masters'],
  },
  dryRun: false,
  fieldManager: 'kube-controller-manager',
  warn: () => {},
}

interface Dependent {
  kind: Kind
  namespace: string | undefined
  name: string
}

/**
 * What Kubernetes' garbage collector does: objects go with the last of their owners, before it where the owner is deleted
 * in the foreground, and not at all where it leaves orphans. It works on the store as it is written to, and ends with it.
 * An owner that never was there is no reason to delete anything here.
 */
export function collectGarbage(api: Api): void {
  const { store, kinds } = api
  const dependents = new Map<string, Map<string, Dependent>>()
  const dependentsOf = (uid: string) => [...(dependents.get(uid)?.values() ?? [])]
  const current = ({ kind, namespace, name }: Dependent) => store.get(kind, namespace, name)

  const release = (owner: Dependent, finalizer: string) => {
    const at = { namespace: owner.namespace, name: owner.name, subresource: '' }
    if (!current(owner)?.metadata.finalizers?.includes(finalizer)) return
    update(api, owner.kind, at, (object) => without(object, finalizer), OPTIONS)
  }
  const deleteDependents = (uid: string) => {
    for (const dependent of dependentsOf(uid)) {
      const object = current(dependent)
      if (!object || object.metadata.deletionTimestamp || hasOtherOwner(object, uid)) continue
      remove(api, dependent.kind, dependent.namespace, dependent.name, {}, OPTIONS)
    }
  }
  const hasOtherOwner = ({ metadata }: ApiObject, uid: string) =>
    (metadata.ownerReferences ?? []).some(
      (reference) => reference.uid !== uid && exists(metadata.namespace, reference),
    )
  const exists = (namespace: string | undefined, reference: OwnerReference) => {
    const owner = ownerOf(api, namespace, reference)
    return owner && current(owner)?.metadata.uid === reference.uid
  }
  const leaveOrphans = (uid: string) => {
    for (const { kind, namespace, name } of dependentsOf(uid)) {
      const at = { namespace, name, subresource: '' }
      update(api, kind, at, (object) => withoutOwner(object, uid), OPTIONS)
    }
  }
  const begin = (owner: Dependent, uid: string, finalizers: readonly string[]) => {
    if (finalizers.includes(ORPHAN)) {
      leaveOrphans(uid)
      release(owner, ORPHAN)
    } else if (finalizers.includes(FOREGROUND)) {
      deleteDependents(uid)
      if (dependentsOf(uid).length === 0) release(owner, FOREGROUND)
    }
  }

  const note = (kind: Kind, { type, object, previous }: StoreEvent) => {
    const { uid = '', namespace, name, finalizers = [], deletionTimestamp } = object.metadata
    const self = { kind, namespace, name }
    const before = previous?.metadata.ownerReferences ?? []
    const owners = type === 'DELETED' ? [] : (object.metadata.ownerReferences ?? [])
    for (const owner of before) dependents.get(owner.uid)?.delete(uid)
    for (const owner of owners) {
      const all = dependents.get(owner.uid) ?? new Map<string, Dependent>()
      dependents.set(owner.uid, all.set(uid, self))
    }
    if (type === 'DELETED') {
      later(() => {
        deleteDependents(uid)
        dependents.delete(uid)
        for (const reference of before) {
          const owner = ownerOf(api, namespace, reference)
          if (owner && dependentsOf(reference.uid).length === 0) release(owner, FOREGROUND)
        }
      })
    } else if (deletionTimestamp && !previous?.metadata.deletionTimestamp)
      later(() => begin(self, uid, finalizers))
  }
  for (const kind of kinds.all) store.subscribe(kind, store.revision, (event) => note(kind, event))
}

function ownerOf(
  { kinds }: Api,
  namespace: string | undefined,
  { apiVersion, kind, name }: OwnerReference,
): Dependent | undefined {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0]! : ''
  const row = kinds.byKind(group, kind)
  return row && { kind: row, namespace: row.namespaced ? namespace : undefined, name }
}

function without(object: ApiObject, finalizer: string): ApiObject {
  const copy = structuredClone(object)
  copy.metadata.finalizers = (copy.metadata.finalizers ?? []).filter((f) => f !== finalizer)
  return copy
}

function withoutOwner(object: ApiObject, uid: string): ApiObject {
  const copy = structuredClone(object)
  copy.metadata.ownerReferences = (copy.metadata.ownerReferences ?? []).filter(
    (owner) => owner.uid !== uid,
  )
  return copy
}
