import { isStatus, statusOf } from '../../cluster/api-error.ts'
import { create, remove } from '../../cluster/objects.ts'
import { PODS } from '../../kubevirt/resources.ts'
import type { KubeObject, Pod } from '../../kubevirt/types.ts'
import { keyOfObject } from '../controller/caches.ts'
import { createExpectations } from '../controller/expectations.ts'
import { type EventRecorder, eventRecorder } from '../events.ts'
import type { WorkloadCaches, WorkloadOptions } from './workloads.ts'

/** Makes and deletes the pods of one controller's objects, which get to hear it as events. */
export interface PodControl {
  events: EventRecorder
  /** Whether the cache knows all pods that were made for the owner. */
  isSettled(owner: KubeObject): boolean
  create(owner: KubeObject, pod: Pod): Promise<void>
  remove(owner: KubeObject, pod: Pod): Promise<void>
}

export function podControl(
  { cluster, clock, caches }: WorkloadOptions & { caches: WorkloadCaches },
  component: string,
): PodControl {
  const expectations = createExpectations(clock)
  const events = eventRecorder(cluster, clock, { component })
  caches.pods.on(({ object: { metadata } }) => {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller)
    if (owner) expectations.settle(`${metadata.namespace}/${owner.name}`, metadata.name)
  })
  return {
    events,
    isSettled: (owner) => expectations.satisfied(keyOfObject(owner)),
    async create(owner, pod) {
      const { name, namespace = '' } = pod.metadata
      expectations.expect(keyOfObject(owner), name)
      try {
        await create(cluster, PODS, pod, { namespace })
      } catch (err) {
        expectations.settle(keyOfObject(owner), name)
        const why = statusOf(err)?.message ?? String(err)
        events.record(owner, 'Warning', 'FailedCreate', `Error creating: ${why}`)
        throw err
      }
      events.record(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${name}`)
    },
    async remove(owner, { metadata }) {
      const preconditions = { ...(metadata.uid && { uid: metadata.uid }) }
      try {
        await remove(cluster, PODS, metadata, { preconditions })
      } catch (err) {
        if (isStatus(err, 404) || isStatus(err, 409)) return
        throw err
      }
      events.record(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${metadata.name}`)
    },
  }
}
