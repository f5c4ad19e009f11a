import { isStatus } from '../../cluster/api-error.ts'
import type { Informer } from '../../cluster/informer.ts'
import { patch, remove } from '../../cluster/objects.ts'
import { MIGRATIONS, PODS, type Resource, VMIS, VMS } from '../../kubevirt/resources.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import type { ControllerOptions } from './migration/controller.ts'
import { startWorker, type Worker } from './worker.ts'

const FOREGROUND = 'foregroundDeletion'
const ORPHAN = 'orphan'

/** A dependent, and where it is found. */
interface Dependent {
  resource: Resource
  object: KubeObject
}

/**
 * Kubernetes' garbage collector, for the kinds of a lab that own or are owned: what an object leaves behind goes with it,
 * before it (`--cascade=foreground`), after it, or not at all (`orphan`).
 */
export function startGarbageCollector(options: ControllerOptions): Worker {
  const { cluster, clock, caches, log } = options
  const kinds: [Resource, Informer<KubeObject>][] = [
    [PODS, caches.pods as Informer<KubeObject>],
    [VMIS, caches.vmis as Informer<KubeObject>],
    [VMS, caches.vms as Informer<KubeObject>],
    [MIGRATIONS, caches.migrations as Informer<KubeObject>],
  ]
  const worker = startWorker({ name: 'garbage-collector', clock, log, threads: 1, reconcile })
  for (const [, informer] of kinds)
    informer.on(({ type, object: { metadata } }) => {
      if (type === 'DELETED') worker.queue.add(metadata.uid ?? '')
      for (const owner of metadata.ownerReferences ?? []) {
        const [, found] = find(owner.uid) ?? []
        if (found && waits(found)) worker.queue.add(owner.uid)
      }
      if (metadata.deletionTimestamp && type !== 'DELETED') worker.queue.add(metadata.uid ?? '')
    })
  return worker

  /** Keyed by the owner's uid: it may not be there any more. */
  async function reconcile(uid: string): Promise<void> {
    const dependents = dependentsOf(uid)
    const [resource, owner] = find(uid) ?? []
    if (!owner || !resource) return removeAll(dependents)
    const finalizers = owner.metadata.finalizers ?? []
    if (!owner.metadata.deletionTimestamp) return
    if (finalizers.includes(ORPHAN)) {
      for (const dependent of dependents) await disown(dependent, uid)
      await release(resource, owner, ORPHAN)
    } else if (finalizers.includes(FOREGROUND)) {
      if (dependents.length === 0) await release(resource, owner, FOREGROUND)
      else await removeAll(dependents)
    }
  }

  function find(uid: string): [Resource, KubeObject] | undefined {
    for (const [resource, informer] of kinds) {
      const object = informer.list().find(({ metadata }) => metadata.uid === uid)
      if (object) return [resource, object]
    }
    return undefined
  }

  function dependentsOf(uid: string): Dependent[] {
    return kinds.flatMap(([resource, informer]) =>
      informer
        .list()
        .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
        .map((object) => ({ resource, object })),
    )
  }

  async function removeAll(dependents: Dependent[]): Promise<void> {
    for (const { resource, object } of dependents)
      if (!object.metadata.deletionTimestamp)
        await unlessGone(remove(cluster, resource, object.metadata))
  }

  async function disown({ resource, object }: Dependent, uid: string): Promise<void> {
    const { metadata } = object
    const ownerReferences = metadata.ownerReferences?.filter((owner) => owner.uid !== uid)
    await unlessGone(patch(cluster, resource, metadata, { metadata: { ownerReferences } }, 'merge'))
  }

  async function release(
    resource: Resource,
    { metadata }: KubeObject,
    finalizer: string,
  ): Promise<void> {
    const { finalizers = [] } = metadata
    const operations = [
      { op: 'test', path: '/metadata/finalizers', value: finalizers },
      {
        op: 'replace',
        path: '/metadata/finalizers',
        value: finalizers.filter((name) => name !== finalizer),
      },
    ]
    await unlessGone(patch(cluster, resource, metadata, operations, 'json'))
  }
}

function waits({ metadata }: KubeObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND) === true
  )
}

async function unlessGone(request: Promise<unknown>): Promise<void> {
  try {
    await request
  } catch (err) {
    if (!isStatus(err, 404)) throw err
  }
}
