import { replace } from '../../cluster/objects.ts'
import { sameValue } from '../../kubevirt/equality.ts'
import { DISRUPTION_BUDGETS } from '../../kubevirt/resources.ts'
import { budgetStatus } from '../../rules/disruption-budget.ts'
import { keyOfObject, parseKey } from './caches.ts'
import type { ControllerOptions } from './migration/controller.ts'
import { startWorker, type Worker } from './worker.ts'

/**
 * Kubernetes' own disruption controller: how many pods each budget lets go. KubeVirt makes no budgets since 1.6
 * (fact sheet control-plane.md §2.14); these are people's own.
 */
export function startDisruptionController({
  cluster,
  clock,
  caches,
  log,
}: ControllerOptions): Worker {
  const worker = startWorker({ name: 'disruption', clock, log, threads: 1, reconcile })
  caches.budgets.on(({ object }) => worker.queue.add(keyOfObject(object)))
  caches.pods.on(({ object: { metadata } }) => {
    for (const budget of caches.budgets.list())
      if (budget.metadata.namespace === metadata.namespace) worker.queue.add(keyOfObject(budget))
  })
  return worker

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const budget = caches.budgets.get(namespace, name)
    if (!budget) return
    const status = budgetStatus(budget, caches.pods.list(), clock.now())
    if (sameValue(budget.status, status)) return
    const at = { ...budget.metadata, subresource: 'status' }
    await replace(cluster, DISRUPTION_BUDGETS, at, { ...budget, status })
  }
}
