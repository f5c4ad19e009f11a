import { expect, test } from 'vitest'
import { get, patch, remove } from '../../../src/cluster/objects.ts'
import { EVENTS, NODES, PODS, VMIS } from '../../../src/kubevirt/resources.ts'
import { timestamp } from '../../../src/kubevirt/time.ts'
import type { Event, Node, Pod, Vmi } from '../../../src/kubevirt/types.ts'
import { startControlPlane } from './control-plane.ts'

test('a node whose virt-handler is not heard takes no VMs, and a VMI whose launcher is gone has failed', async () => {
  const plane = await startControlPlane()
  await plane.run('vm-1', 'node-1')
  await plane.run('vm-2', 'node-1')
  const launcher = await plane.launcherOf('vm-1')
  await remove(plane.admin, PODS, launcher.metadata, { gracePeriodSeconds: 0 })
  const metadata = {
    labels: { 'kubevirt.io/schedulable': 'true' },
    annotations: { 'kubevirt.io/heartbeat': timestamp(Date.now() - 301_000) },
  }
  await patch(plane.admin, NODES, { name: 'node-1' }, { metadata }, 'merge')
  const failed = await plane.until(async () => {
    const vmi = await plane.get<Vmi>(VMIS, 'vm-1')
    return vmi.status?.phase === 'Failed' && vmi
  }, 'vm-1 to be given up')
  expect(failed.status?.['reason']).toBe('NodeUnresponsive')
  await plane.until(
    async () =>
      (await get<Node>(plane.admin, NODES, { name: 'node-1' })).metadata.labels?.[
        'kubevirt.io/schedulable'
      ] === 'false',
    'the node to be taken out',
  )
  expect((await plane.get<Vmi>(VMIS, 'vm-2')).status?.phase).toBe('Running')
  await plane.until(
    async () =>
      (await plane.all<Event>(EVENTS)).some(
        ({ message }) =>
          message === 'virt-handler on node node-1 is not responsive, marking VMI as failed',
      ),
    'the event',
  )
})

test('a node that gets a NoExecute taint loses the pods that do not tolerate it', async () => {
  const plane = await startControlPlane()
  await plane.run('vm-1', 'node-1')
  await plane.run('vm-2', 'node-1', {
    domain: { devices: {} },
    tolerations: [{ key: 'repair', operator: 'Exists' }],
  })
  const [first, second] = [await plane.launcherOf('vm-1'), await plane.launcherOf('vm-2')]
  const taints = [{ key: 'repair', effect: 'NoExecute' }]
  await patch(plane.admin, NODES, { name: 'node-1' }, { spec: { taints } }, 'merge')
  const marked = `Marking for deletion Pod demo/${first.metadata.name}`
  await plane.until(async () => (await plane.told(first.metadata.name)).includes(marked), marked)
  await plane.until(
    async () => (await plane.get<Pod>(PODS, first.metadata.name)).metadata.deletionTimestamp,
    'its deletion',
  )
  expect(await plane.told(second.metadata.name)).toEqual([])
})
