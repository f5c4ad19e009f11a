import { remove, replace } from '../../cluster/objects.ts'
import { JOBS } from '../../kubevirt/resources.ts'
import { jobStep } from '../../rules/job.ts'
import { keyOfObject, parseKey } from '../controller/caches.ts'
import { startWorker, type Worker } from '../controller/worker.ts'
import { podControl } from './pod-control.ts'
import { isControlledBy, isGoing, podOf } from './template-pods.ts'
import { wakeOwners } from './wake-owners.ts'
import type { WorkloadCaches, WorkloadOptions } from './workloads.ts'

const KIND = { apiVersion: 'batch/v1', kind: JOBS.kind }

/** Kubernetes' Job controller, and the one that takes finished Jobs away: one pod at a time, until one has done its work. */
export function startJobController(options: WorkloadOptions & { caches: WorkloadCaches }): Worker {
  const { cluster, clock, caches, log } = options
  const pods = podControl(options, 'job-controller')
  const worker = startWorker({ name: 'job', clock, log, threads: 1, reconcile })
  caches.jobs.on(({ object }) => worker.queue.add(keyOfObject(object)))
  wakeOwners(caches.pods, KIND.kind, worker)
  return worker

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const found = caches.jobs.get(namespace, name)
    if (!found || isGoing(found)) return
    const job = { ...found, ...KIND }
    if (!pods.isSettled(job)) return
    const own = caches.pods.list().filter((pod) => isControlledBy(pod, job))
    const step = jobStep(job, own, clock.now())
    if (step.expired) {
      await remove(cluster, JOBS, job.metadata, { propagationPolicy: 'Background' })
      return
    }
    if (step.status) {
      const at = { ...job.metadata, subresource: 'status' }
      await replace(cluster, JOBS, at, { ...job, status: step.status })
    }
    if (step.told) pods.events.record(job, step.told.type, step.told.reason, step.told.message)
    for (const pod of step.remove) await pods.remove(job, pod)
    if (step.create) await pods.create(job, podOf(job, job.spec.template, labelsOf(job.metadata)))
    if (step.again !== undefined) worker.queue.add(key, { after: step.again })
  }
}

function labelsOf({ name, uid = '' }: { name: string; uid?: string }): Record<string, string> {
  return {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  }
}
