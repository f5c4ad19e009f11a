import { replace } from '../../cluster/objects.ts'
import { sameValue } from '../../kubevirt/equality.ts'
import { ownValue } from '../../kubevirt/own-value.ts'
import { RESOURCE_QUOTAS } from '../../kubevirt/resources.ts'
import { usedOf } from '../../rules/quota.ts'
import { keyOfObject, parseKey } from './caches.ts'
import type { ControllerOptions } from './migration/controller.ts'
import { startWorker, type Worker } from './worker.ts'

/** Kubernetes' own quota controller: measures what the pods of a namespace use, as often as that may change. */
export function startQuotaController({ cluster, clock, caches, log }: ControllerOptions): Worker {
  const worker = startWorker({ name: 'resourcequota', clock, log, threads: 1, reconcile })
  caches.quotas.on(({ object }) => worker.queue.add(keyOfObject(object)))
  caches.pods.on(({ object: { metadata } }) => {
    for (const quota of caches.quotas.list())
      if (quota.metadata.namespace === metadata.namespace) worker.queue.add(keyOfObject(quota))
  })
  return worker

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const quota = caches.quotas.get(namespace, name)
    if (!quota) return
    const used = { ...quota.status?.used, ...usedOf(quota, caches.pods.list(), clock.now()) }
    const hard = quota.spec.hard ?? {}
    const status = {
      hard,
      used: Object.fromEntries(
        Object.keys(hard).map((resource) => [resource, ownValue(used, resource) ?? '0']),
      ),
    }
    if (sameValue(quota.status, status)) return
    const at = { ...quota.metadata, subresource: 'status' }
    await replace(cluster, RESOURCE_QUOTAS, at, { ...quota, status })
  }
}
