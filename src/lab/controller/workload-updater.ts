import { create, patch, remove } from '../../cluster/objects.ts'
import { ANNOTATION } from '../../kubevirt/labels.ts'
import { currentPodOf } from '../../kubevirt/pods.ts'
import { KUBEVIRTS, MIGRATIONS, PODS, pathOf } from '../../kubevirt/resources.ts'
import type { Migration, Vmi } from '../../kubevirt/types.ts'
import { LAUNCHER_IMAGE } from '../../rules/launcher-pod.ts'
import { isOutdated, requiresMigration, workloadUpdates } from '../../rules/workload-update.ts'
import { keyOfObject, parseKey } from './caches.ts'
import { createEventRecorder } from './event-recorder.ts'
import { createExpectations } from './expectations.ts'
import type { ControllerOptions } from './migration/controller.ts'
import { messageOf } from './migration/perform.ts'
import { startWorker, type Worker } from './worker.ts'

/** ms: however much happens, it looks at the VMs no more often. */
const THROTTLE = 5000
const BATCH_SIZE = 10
const BATCH_INTERVAL = 60_000

/** Moves VMs whose launcher is out of date, or whose changes need a new one; keyed by the KubeVirt CR (control-plane.md §4.3). */
export function startWorkloadUpdater(options: ControllerOptions): Worker {
  const { cluster, clock, caches, log } = options
  const expectations = createExpectations(clock)
  const recorder = createEventRecorder(cluster, clock, 'workload-update-controller')
  const worker = startWorker({
    name: 'virt-controller-workload-update',
    clock,
    log,
    threads: 1,
    reconcile,
  })
  let lastBatch = Number.NEGATIVE_INFINITY

  const enqueue = () => {
    const kubevirt = caches.kubevirt()
    if (kubevirt) worker.queue.add(keyOfObject(kubevirt), { after: THROTTLE })
  }
  caches.kubevirts.on(enqueue)
  caches.vmis.on(({ object }) => {
    if (requiresMigration(object) || isOutdated(object, LAUNCHER_IMAGE)) enqueue()
  })
  caches.migrations.on(({ type, object: { metadata, spec } }) => {
    if (metadata.annotations?.[ANNOTATION.workloadUpdateMigration] === undefined) return
    const vmi = caches.vmis.get(metadata.namespace, spec.vmiName ?? '')
    if (type === 'ADDED') expectations.settle('all', vmi?.metadata.uid ?? '')
    enqueue()
  })
  return worker

  async function reconcile(key: string): Promise<void> {
    const { namespace, name } = parseKey(key)
    const kubevirt = caches.kubevirts.get(namespace, name)
    if (!kubevirt || !expectations.satisfied('all')) return
    const view = {
      vmis: caches.vmis.list(),
      migrations: caches.migrations.list(),
      kubevirt,
      launcherImage: LAUNCHER_IMAGE,
    }
    const updates = workloadUpdates(view, clock.now())
    if (!updates.active) return
    const count = updates.outdated.length
    if (kubevirt.status?.outdatedVirtualMachineInstanceWorkloads !== count) {
      const status = { outdatedVirtualMachineInstanceWorkloads: count }
      const at = { namespace, name, subresource: 'status' }
      await patch(cluster, KUBEVIRTS, at, { status }, 'merge')
    }
    for (const migration of updates.abort) await abort(migration)
    for (const { vmi, priority } of updates.migrate) await migrate(vmi, priority)
    await evictBatch(updates.evict)
  }

  async function migrate(vmi: Vmi, priority: string): Promise<void> {
    const { namespace = '', name, uid = '' } = vmi.metadata
    expectations.expect('all', uid)
    try {
      const body = {
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachineInstanceMigration',
        metadata: {
          generateName: 'kubevirt-workload-update-',
          annotations: { [ANNOTATION.workloadUpdateMigration]: '' },
        },
        spec: { vmiName: name, priority },
      }
      const made = await create<Migration>(cluster, MIGRATIONS, body, { namespace })
      const message = `Created Migration ${made.metadata.name} for automated workload update`
      recorder.record(vmi, 'Normal', 'SuccessfulCreate', message)
    } catch (err) {
      expectations.settle('all', uid)
      const message = `Error creating a Migration for automated workload update: ${messageOf(err)}`
      recorder.record(vmi, 'Warning', 'FailedCreate', message)
      throw err
    }
  }

  async function abort({ metadata, spec }: Migration): Promise<void> {
    const vmi = caches.vmis.get(metadata.namespace, spec.vmiName ?? '')
    if (!vmi) return
    try {
      await remove(cluster, MIGRATIONS, metadata)
      const message = `Aborted change for vmi: ${vmi.metadata.name}`
      recorder.record(vmi, 'Normal', 'SuccessfulChangeAbortion', message)
    } catch (err) {
      const message = `Failed to abort change for vmi: ${vmi.metadata.name}: ${messageOf(err)}`
      recorder.record(vmi, 'Warning', 'FailedChangeAbortion', message)
      throw err
    }
  }

  /** So many at once, then none for a while; the VM's own strategy may still refuse. */
  async function evictBatch(vmis: Vmi[]): Promise<void> {
    if (vmis.length === 0 || clock.now() - lastBatch < BATCH_INTERVAL) return
    lastBatch = clock.now()
    for (const vmi of vmis.slice(0, BATCH_SIZE)) {
      const pod = currentPodOf(vmi, caches.podsOf(vmi))
      if (!pod) continue
      const { namespace, name } = pod.metadata
      const path = pathOf(PODS, { namespace, name, subresource: 'eviction' })
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } }
      try {
        await cluster.request({ method: 'POST', path, body })
        recorder.record(
          vmi,
          'Normal',
          'SuccessfulEvict',
          'Initiated eviction of VMI for automated workload update',
        )
      } catch (err) {
        const message = `Error deleting VMI during automated workload update: ${messageOf(err)}`
        recorder.record(vmi, 'Warning', 'FailedEvict', message)
      }
    }
  }
}
