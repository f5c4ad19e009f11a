import { expect, test } from 'vitest'
import { patch, remove } from '../../../src/cluster/objects.ts'
import { PODS, VMIS, VMS } from '../../../src/kubevirt/resources.ts'
import type { Pod, Vm, Vmi } from '../../../src/kubevirt/types.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const at = (name: string) => ({ namespace: 'demo', name })

async function vm(plane: ControlPlane): Promise<Pod> {
  const spec = { domain: { cpu: { model: 'Haswell' }, devices: {} } }
  await plane.create(VMS, {
    metadata: { name: 'vm-1' },
    spec: { runStrategy: 'Always', template: { spec } },
  })
  return plane.launcherOf('vm-1')
}

test('what an object leaves behind goes with it', async () => {
  const plane = await startControlPlane()
  await vm(plane)
  await patch(plane.controller, VMIS, at('vm-1'), { metadata: { finalizers: null } }, 'merge')
  await patch(
    plane.admin,
    VMS,
    at('vm-1'),
    { metadata: { finalizers: null }, spec: { runStrategy: 'Manual' } },
    'merge',
  )
  await remove(plane.admin, VMIS, at('vm-1'))
  await plane.until(async () => (await plane.all<Pod>(PODS)).length === 0, 'the pod to be gone')
})

test('in the foreground, what depends on it goes first', async () => {
  const plane = await startControlPlane()
  await vm(plane)
  await remove(plane.admin, VMS, at('vm-1'), { propagationPolicy: 'Foreground' })
  await plane.until(async () => (await plane.all<Vm>(VMS)).length === 0, 'the VM to be gone')
  expect(await plane.all<Vmi>(VMIS)).toEqual([])
})

test('an orphan stays, and is nobody’s any more', async () => {
  const plane = await startControlPlane()
  const pod = await plane.create<Pod>(PODS, {
    metadata: { name: 'owner' },
    spec: { containers: [{ name: 'c', image: 'x' }] },
  })
  const { name, uid } = pod.metadata
  const owner = { apiVersion: 'v1', kind: 'Pod', name, uid }
  await plane.create(PODS, {
    metadata: { name: 'child', ownerReferences: [owner] },
    spec: { containers: [{ name: 'c', image: 'x' }] },
  })
  await remove(plane.admin, PODS, at('owner'), { propagationPolicy: 'Orphan' })
  const [child] = await plane.until(async () => {
    const pods = await plane.all<Pod>(PODS)
    return pods.length === 1 && pods
  }, 'the owner to be gone')
  expect(child?.metadata.name).toBe('child')
  expect(child?.metadata.ownerReferences ?? []).toEqual([])
})
