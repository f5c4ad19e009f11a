import { create, patch, remove } from '../../cluster/objects.ts'
import { ANNOTATION, LABEL } from '../../kubevirt/labels.ts'
import { conditionOf, isFinal } from '../../kubevirt/migration.ts'
import { currentPodOf } from '../../kubevirt/pods.ts'
import { KUBEVIRTS, MIGRATIONS, PODS, pathOf } from '../../kubevirt/resources.ts'
import { goDuration } from '../../kubevirt/time.ts'
import type { KubeVirt, Migration, Vmi } from '../../kubevirt/types.ts'
import { isMigrating } from '../../rules/evacuation.ts'
import { LAUNCHER_IMAGE } from '../../rules/launcher-pod.ts'
import { isOwn, requiresMigration, workloadUpdates } from '../../rules/workload-update.ts'
import { eventRecorder } from '../events.ts'
import { keyOfObject, parseKey } from './caches.ts'
import { createExpectations } from './expectations.ts'
import type { ControllerOptions } from './migration/controller.ts'
import { messageOf } from './migration/perform.ts'
import { startWorker, type Worker } from './worker.ts'

/** ms: however much happens, it looks at the VMs no more often. */
const THROTTLE = 5000
/** ms: what undoes a change wakes KubeVirt's updater only with the next word of its CR, which its operator writes now and then. */
const CR_WORD = 30_000
/** ms: KubeVirt itself means 30 s here and waits 30 ns; this is between the two. */
const AGAIN = 1000
const BATCH_SIZE = 10
const BATCH_INTERVAL = 60_000

/** Moves VMs whose launcher is out of date, or whose changes need a new one; keyed by the KubeVirt CR (control-plane.md §4.3). */
export function startWorkloadUpdater(options: ControllerOptions): Worker {
  const { cluster, clock, caches, log } = options
  const expectations = createExpectations(clock)
  const recorder = eventRecorder(cluster, clock, { component: 'workload-update-controller' })
  const worker = startWorker({
    name: 'virt-controller-workload-update',
    clock,
    log,
    threads: 1,
    retries: { first: THROTTLE, last: 300_000 },
    reconcile,
  })
  let lastBatch = Number.NEGATIVE_INFINITY

  const enqueue = (after = THROTTLE) => {
    const kubevirt = caches.kubevirt()
    if (kubevirt) worker.queue.add(keyOfObject(kubevirt), { after })
  }
  caches.kubevirts.on(() => enqueue())
  caches.vmis.on(({ object }) => {
    const { namespace, name } = object.metadata
    if (!requiresMigration(object)) {
      const isOnTheWay = caches
        .migrationsOf(namespace, name)
        .some((migration) => isOwn(migration) && !isFinal(migration))
      if (isOnTheWay) enqueue(CR_WORD)
    } else if (!isMigrating(object, clock.now())) enqueue()
  })
  caches.migrations.on(({ type, object }) => {
    const { metadata, spec } = object
    const vmi = caches.vmis.get(metadata.namespace, spec.vmiName ?? '')
    if (type === 'ADDED' && isOwn(object)) expectations.settle('all', vmi?.metadata.uid ?? '')
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
    await evictBatch(updates.evict, kubevirt)
    if (updates.again) worker.queue.add(key, { after: AGAIN })
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
          labels: volumeLabels(vmi),
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
      recorder.record(vmi, 'Normal', 'FailedChangeAbortion', message)
      throw err
    }
  }

  /** So many at once, then none for a while; the VM's own strategy may still refuse. */
  async function evictBatch(vmis: Vmi[], { spec }: KubeVirt): Promise<void> {
    const { batchEvictionSize: size = BATCH_SIZE, batchEvictionInterval } =
      spec.workloadUpdateStrategy ?? {}
    const interval = goDuration(batchEvictionInterval) ?? BATCH_INTERVAL
    if (vmis.length === 0 || clock.now() - lastBatch <= interval) return
    lastBatch = clock.now()
    for (const vmi of vmis.slice(0, size)) {
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
          // KubeVirt prints the error that there was not.
          'Initiated eviction of VMI as part of automated workload update: <nil>',
        )
      } catch (err) {
        const message = `Error deleting VMI during automated workload update: ${messageOf(err)}`
        recorder.record(vmi, 'Warning', 'FailedEvict', message)
      }
    }
  }
}

/** Of a migration that moves volumes: which VM's; a name too long for a label gives way to the uid. */
function volumeLabels(vmi: Vmi): Record<string, string> {
  if (conditionOf(vmi, 'VolumesChange')?.status !== 'True') return {}
  const { name, uid = '' } = vmi.metadata
  return { [LABEL.volumeUpdate]: name.length > 63 ? uid : name }
}
