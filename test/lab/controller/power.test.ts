import { expect, test } from 'vitest'
import { remove } from '../../../src/cluster/objects.ts'
import { MIGRATIONS, PODS, VMIS, VMS } from '../../../src/kubevirt/resources.ts'
import type { Migration, Pod, Vm, Vmi } from '../../../src/kubevirt/types.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const ROOT = '/apis/subresources.kubevirt.io/v1/namespaces/demo/virtualmachines'
const put = (plane: ControlPlane, path: string, body: object = {}) =>
  plane.admin.request({ method: 'PUT', path: `${ROOT}/${path}`, body, accept: '*/*' })
const kill = async (plane: ControlPlane, pod: Pod) => {
  await remove(plane.admin, PODS, pod.metadata, { gracePeriodSeconds: 0 })
}

async function runVm(plane: ControlPlane): Promise<Pod> {
  const template = { spec: { domain: { cpu: { model: 'Haswell' }, devices: {} } } }
  await plane.create(VMS, { metadata: { name: 'vm-1' }, spec: { runStrategy: 'Always', template } })
  const pod = await plane.launcherOf('vm-1')
  await plane.start(pod, 'node-1')
  await plane.until(
    async () => (await plane.get<Vmi>(VMIS, 'vm-1')).status?.phase === 'Scheduled',
    'the VM to be scheduled',
  )
  const conditions = [{ type: 'LiveMigratable', status: 'True' }]
  const status = { phase: 'Running', selinuxContext: 'none', conditions }
  await plane.handle('node-1', 'vm-1', status)
  return pod
}

test('a VM that is restarted while it moves loses its migration, and starts anew', async () => {
  const plane = await startControlPlane()
  const source = await runVm(plane)
  await put(plane, 'vm-1/migrate')
  const [migration] = await plane.until(async () => {
    const found = await plane.all<Migration>(MIGRATIONS)
    return found.length > 0 && found
  }, 'the migration')
  const target = await plane.targetOf(migration!.metadata.name)
  await plane.start(target, 'node-2')
  await put(plane, 'vm-1/restart')
  const deleted = `Deleted virtual machine pod ${source.metadata.name}`
  await plane.until(
    async () => (await plane.told('vm-1')).includes(deleted),
    'its pod to be deleted',
  )
  for (const pod of [target, source]) await kill(plane, pod)
  await plane.until(async () => (await plane.all(MIGRATIONS)).length === 0, 'no migration')
  const next = await plane.launcherOf('vm-1')
  expect(next.metadata.uid).not.toBe(source.metadata.uid)
  await plane.until(
    async () => !(await plane.get<Vm>(VMS, 'vm-1')).status?.stateChangeRequests?.length,
    'nothing to be asked for any more',
  )
}, 20_000)

test('one that is stopped is halted, and can be started again', async () => {
  const plane = await startControlPlane()
  const pod = await runVm(plane)
  const strategy = async () => (await plane.get<Vm>(VMS, 'vm-1')).spec.runStrategy
  await put(plane, 'vm-1/stop', { dryRun: ['All'] })
  expect(await strategy()).toBe('Always')
  await put(plane, 'vm-1/stop')
  expect(await strategy()).toBe('Halted')
  const deleted = `Deleted virtual machine pod ${pod.metadata.name}`
  await plane.until(
    async () => (await plane.told('vm-1')).includes(deleted),
    'its pod to be deleted',
  )
  await kill(plane, pod)
  await plane.until(async () => (await plane.all(VMIS)).length === 0, 'the VMI to be gone')
  await expect(put(plane, 'vm-1/stop')).rejects.toThrow('VM is not running')
  await put(plane, 'vm-1/start')
  expect(await strategy()).toBe('Always')
  await plane.launcherOf('vm-1')
  await expect(put(plane, 'nobody/start')).rejects.toThrow(
    'virtualmachine.kubevirt.io "nobody" not found',
  )
}, 20_000)
