import { patch } from '../../cluster/objects.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import { NODES, VMIS } from '../../kubevirt/resources.ts'
import type { Node, Vmi } from '../../kubevirt/types.ts'
import { handlerHeard, lostVmis } from '../../rules/node-heartbeat.ts'
import { eventRecorder } from '../events.ts'
import type { ControllerOptions } from './migration/controller.ts'
import { startWorker, type Worker } from './worker.ts'

const REASON = 'NodeUnresponsive'
/** A node that is not heard is looked at again, ms. */
const AGAIN = 60_000

/** Takes nodes whose virt-handler is not heard any more out of use; keyed by node (control-plane.md §2.8). */
export function startNodeController(options: ControllerOptions): Worker {
  const { cluster, clock, caches, log } = options
  const recorder = eventRecorder(cluster, clock, { component: 'node-controller' })
  const worker = startWorker({
    name: 'virt-controller-node',
    clock,
    log,
    threads: 1,
    reconcile,
  })
  caches.nodes.on(({ object }) => worker.queue.add(object.metadata.name))
  caches.vmis.on(({ object: { status } }) => {
    if (status?.nodeName) worker.queue.add(status.nodeName)
  })
  return worker

  async function reconcile(name: string): Promise<void> {
    const node = caches.nodes.get(undefined, name)
    if (!node) return
    const now = clock.now()
    const found = handlerHeard(node, now)
    if (found.heard) {
      if (found.until !== undefined) worker.queue.add(name, { after: found.until + 1000 - now })
      return
    }
    if (node.metadata.labels?.[LABEL.schedulable] === 'true') await takeOut(node)
    const vmis = caches.vmis.by('node', name)
    const pods = vmis.flatMap((vmi) => caches.podsOf(vmi))
    for (const vmi of lostVmis(name, vmis, pods)) await giveUp(vmi)
    worker.queue.add(name, { after: AGAIN })
  }

  async function takeOut(node: Node): Promise<void> {
    const message = 'virt-handler is not responsive, marking node as unresponsive'
    recorder.record(node, 'Normal', REASON, message)
    const metadata = { labels: { [LABEL.schedulable]: 'false' } }
    await patch(cluster, NODES, { name: node.metadata.name }, { metadata }, 'merge')
  }

  async function giveUp(vmi: Vmi): Promise<void> {
    const { namespace, name } = vmi.metadata
    const message = `virt-handler on node ${vmi.status?.nodeName} is not responsive, marking VMI as failed`
    recorder.record(vmi, 'Normal', REASON, message)
    const changes = [
      { op: 'test', path: '/status/phase', value: vmi.status?.phase },
      { op: 'replace', path: '/status/phase', value: 'Failed' },
      { op: 'add', path: '/status/reason', value: REASON },
    ]
    await patch(cluster, VMIS, { namespace, name }, changes, 'json')
  }
}
