import { create } from '../../cluster/objects.ts'
import { ANNOTATION } from '../../kubevirt/labels.ts'
import { MIGRATIONS } from '../../kubevirt/resources.ts'
import type { Migration, Vmi } from '../../kubevirt/types.ts'
import { evacuationsFrom } from '../../rules/evacuation.ts'
import { eventRecorder } from '../events.ts'
import { createExpectations } from './expectations.ts'
import type { ControllerOptions } from './migration/controller.ts'
import { messageOf } from './migration/perform.ts'
import { startWorker, type Worker } from './worker.ts'

/** Makes a migration for every VM that was asked to leave its node; keyed by node (control-plane.md §4.2). */
export function startEvacuationController(options: ControllerOptions): Worker {
  const { cluster, clock, caches, log } = options
  const expectations = createExpectations(clock)
  const recorder = eventRecorder(cluster, clock, { component: 'evacuation-controller' })
  const worker = startWorker({
    name: 'virt-controller-evacuation',
    clock,
    log,
    threads: 1,
    reconcile,
  })

  const enqueue = (vmi: Vmi | undefined) => {
    const node = vmi?.status?.nodeName
    if (node) worker.queue.add(node)
  }
  caches.nodes.on(({ object }) => worker.queue.add(object.metadata.name))
  caches.vmis.on(({ object }) => enqueue(object))
  caches.migrations.on(({ type, object: { metadata, spec } }) => {
    const vmi = caches.vmis.get(metadata.namespace, spec.vmiName ?? '')
    const node = metadata.annotations?.[ANNOTATION.evacuationMigration]
    if (type === 'ADDED' && node !== undefined) expectations.settle(node, vmi?.metadata.uid ?? '')
    enqueue(vmi)
  })
  return worker

  async function reconcile(nodeName: string): Promise<void> {
    const node = caches.nodes.get(undefined, nodeName)
    if (!node) return expectations.forget(nodeName)
    if (!expectations.satisfied(nodeName)) return
    const vmis = caches.vmis.by('node', nodeName)
    const view = {
      node,
      nodeName,
      vmis,
      migrations: caches.migrations.list(),
      pods: vmis.flatMap((vmi) => caches.podsOf(vmi)),
      kubevirt: caches.kubevirt(),
    }
    for (const evacuation of evacuationsFrom(view, clock.now()))
      if (evacuation.evacuate) await evacuate(evacuation.vmi, nodeName, evacuation.priority)
  }

  async function evacuate(vmi: Vmi, nodeName: string, priority: string): Promise<void> {
    const { namespace = '', name, uid = '' } = vmi.metadata
    expectations.expect(nodeName, uid)
    try {
      const body = {
        apiVersion: 'kubevirt.io/v1',
        kind: 'VirtualMachineInstanceMigration',
        metadata: {
          generateName: 'kubevirt-evacuation-',
          annotations: { [ANNOTATION.evacuationMigration]: nodeName },
        },
        spec: { vmiName: name, priority },
      }
      const made = await create<Migration>(cluster, MIGRATIONS, body, { namespace })
      const message = `Created Migration ${made.metadata.name}`
      recorder.record(vmi, 'Normal', 'SuccessfulCreate', message)
    } catch (err) {
      expectations.settle(nodeName, uid)
      const message = `Error creating a Migration: ${messageOf(err)}`
      recorder.record(vmi, 'Warning', 'FailedCreate', message)
      throw err
    }
  }
}
