import { isStatus } from '../../cluster/api-error.ts'
import { patch, remove } from '../../cluster/objects.ts'
import { isPodFinal } from '../../kubevirt/pods.ts'
import { PODS } from '../../kubevirt/resources.ts'
import { timestamp } from '../../kubevirt/time.ts'
import type { Pod } from '../../kubevirt/types.ts'
import { taintEviction } from '../../rules/taint-eviction.ts'
import { eventRecorder } from '../events.ts'
import { keyOfObject, parseKey } from './caches.ts'
import type { ControllerOptions } from './migration/controller.ts'
import { startWorker, type Worker } from './worker.ts'

/**
 * Kubernetes' own taint-eviction controller: deletes pods from nodes that got a NoExecute taint. It does not ask for an
 * eviction, so a VM is not moved by it but ends.
 */
export function startTaintEvictionController(options: ControllerOptions): Worker {
  const { cluster, clock, caches, log } = options
  const recorder = eventRecorder(cluster, clock, { component: 'taint-eviction-controller' })
  const worker = startWorker({ name: 'taint-eviction', clock, log, threads: 1, reconcile })
  const isTainted = (name: string | undefined) =>
    caches.nodes
      .get(undefined, name ?? '')
      ?.spec.taints?.some(({ effect }) => effect === 'NoExecute') ?? false
  caches.nodes.on(({ object: { metadata } }) => {
    if (!isTainted(metadata.name)) return
    for (const pod of caches.pods.list())
      if (pod.spec.nodeName === metadata.name) worker.queue.add(keyOfObject(pod))
  })
  caches.pods.on(({ object }) => {
    if (isTainted(object.spec.nodeName)) worker.queue.add(keyOfObject(object))
  })
  return worker

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const pod = caches.pods.get(namespace, name)
    if (!pod || pod.metadata.deletionTimestamp || isPodFinal(pod)) return
    const node = caches.nodes.get(undefined, pod.spec.nodeName ?? '')
    const now = clock.now()
    const end = taintEviction(pod, node?.spec.taints ?? [], now)
    if (end === undefined) return
    if (end > now) worker.queue.add(key, { after: end - now })
    else await evict(pod)
  }

  async function evict(pod: Pod): Promise<void> {
    const { namespace, name } = pod.metadata
    const message = `Marking for deletion Pod ${namespace}/${name}`
    recorder.record(
      { ...pod, apiVersion: 'v1', kind: 'Pod' },
      'Normal',
      'TaintManagerEviction',
      message,
    )
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      lastTransitionTime: timestamp(clock.now()),
    }
    const at = { ...pod.metadata, subresource: 'status' }
    try {
      await patch(cluster, PODS, at, { status: { conditions: [condition] } }, 'strategic')
      await remove(cluster, PODS, pod.metadata)
    } catch (err) {
      if (!isStatus(err, 404)) throw err
    }
  }
}
