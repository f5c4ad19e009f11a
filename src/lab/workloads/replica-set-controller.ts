import { replace } from '../../cluster/objects.ts'
import { sameValue } from '../../kubevirt/equality.ts'
import { isPodFinal } from '../../kubevirt/pods.ts'
import { REPLICA_SETS } from '../../kubevirt/resources.ts'
import type { Pod } from '../../kubevirt/types.ts'
import { keyOfObject, parseKey } from '../controller/caches.ts'
import { startWorker, type Worker } from '../controller/worker.ts'
import { podControl } from './pod-control.ts'
import { isControlledBy, isGoing, isReady, podOf } from './template-pods.ts'
import { wakeOwners } from './wake-owners.ts'
import type { WorkloadCaches, WorkloadOptions } from './workloads.ts'

const KIND = { apiVersion: 'apps/v1', kind: REPLICA_SETS.kind }

/** Kubernetes' ReplicaSet controller: as many pods as wanted. One that is being deleted does not count. */
export function startReplicaSetController(
  options: WorkloadOptions & { caches: WorkloadCaches },
): Worker {
  const { cluster, clock, caches, log } = options
  const pods = podControl(options, 'replicaset-controller')
  const worker = startWorker({ name: 'replicaset', clock, log, threads: 1, reconcile })
  caches.replicaSets.on(({ object }) => worker.queue.add(keyOfObject(object)))
  wakeOwners(caches.pods, KIND.kind, worker)
  return worker

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const found = caches.replicaSets.get(namespace, name)
    if (!found || isGoing(found)) return
    const set = { ...found, ...KIND }
    if (!pods.isSettled(set)) return
    const active = caches.pods
      .list()
      .filter((pod) => isControlledBy(pod, set) && !isGoing(pod) && !isPodFinal(pod))
    const missing = (set.spec.replicas ?? 1) - active.length
    const surplus = active.toSorted(byUse).slice(0, Math.max(0, -missing))
    const status = {
      replicas: active.length,
      fullyLabeledReplicas: active.length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: active.filter(isReady).length,
      observedGeneration: set.metadata.generation,
    }
    if (!sameValue(counts(set.status), counts(status))) {
      const at = { ...set.metadata, subresource: 'status' }
      await replace(cluster, REPLICA_SETS, at, { ...set, status })
    }
    for (const pod of surplus) await pods.remove(set, pod)
    const made = Array.from({ length: Math.max(0, missing) }, () =>
      podOf(set, set.spec.template, {}),
    )
    await Promise.all(made.map((pod) => pods.create(set, pod)))
  }
}

/** What is 0 is not written. */
function counts(status: object | undefined): object {
  return Object.fromEntries(Object.entries(status ?? {}).filter(([, value]) => value !== 0))
}

/** Of least use first: those that run nowhere, that are not ready, that are young. */
function byUse(a: Pod, b: Pod): number {
  const rank = (pod: Pod) => (pod.spec.nodeName ? 1 : 0) + (isReady(pod) ? 2 : 0)
  const born = (pod: Pod) => pod.metadata.creationTimestamp ?? ''
  return rank(a) - rank(b) || born(b).localeCompare(born(a))
}
