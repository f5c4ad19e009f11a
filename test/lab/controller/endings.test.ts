import { expect, test } from 'vitest'
import { patch, remove } from '../../../src/cluster/objects.ts'
import { MIGRATIONS, PODS, VMIS } from '../../../src/kubevirt/resources.ts'
import type { Migration, Pod, Vmi } from '../../../src/kubevirt/types.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const at = (name: string) => ({ namespace: 'demo', name })
const gone = async (plane: ControlPlane, pod: Pod) => {
  await remove(plane.admin, PODS, pod.metadata, { gracePeriodSeconds: 0 })
}
const migrate = (plane: ControlPlane, name: string, annotations = {}) =>
  plane.create<Migration>(MIGRATIONS, {
    metadata: { name, annotations },
    spec: { vmiName: 'vm-1' },
  })
const inPhase = (plane: ControlPlane, name: string, phase: string) =>
  plane.until(async () => (await plane.phaseOf(name)) === phase, `${name} to be ${phase}`)

test('a VM that is deleted while it moves takes both pods and its migration along', async () => {
  const plane = await startControlPlane()
  await plane.run('vm-1', 'node-1')
  const source = await plane.launcherOf('vm-1')
  await migrate(plane, 'm')
  const target = await plane.targetOf('m')
  await plane.start(target, 'node-2')
  await inPhase(plane, 'm', 'PreparingTarget')
  await remove(plane.admin, VMIS, at('vm-1'))
  await plane.until(async () => (await plane.told('vm-1')).length >= 3, 'both pods to be deleted')
  for (const { metadata } of [source, target])
    expect(await plane.told('vm-1')).toContain(`Deleted virtual machine pod ${metadata.name}`)
  await gone(plane, target)
  await inPhase(plane, 'm', 'Failed')
  expect(await plane.told('m')).toContain(
    'Migration target pod was removed during active migration.',
  )
  await gone(plane, source)
  await plane.until(async () => (await plane.all<Vmi>(VMIS)).length === 0, 'the VM to be gone')
  await plane.until(async () => (await plane.all(MIGRATIONS)).length === 0, 'its migration too')
})

test('a VM that moved into another launcher than KubeVirt’s is told to be out of date, and moved again', async () => {
  const plane = await startControlPlane({
    workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] },
  })
  await plane.run('vm-1', 'node-1')
  const override = 'kubevirt.io/func-test-migration-target-image-override'
  await migrate(plane, 'm', { [override]: 'registry/virt-launcher:other' })
  const target = await plane.targetOf('m')
  expect(target.spec.containers[0]?.image).toBe('registry/virt-launcher:other')
  await plane.start(target, 'node-2')
  await inPhase(plane, 'm', 'PreparingTarget')
  const handler = await plane.handler('node-2')
  const time = '2026-01-01T00:00:00Z'
  const migrationState = {
    targetNodeAddress: '10.0.0.2',
    startTimestamp: time,
    endTimestamp: time,
    completed: true,
  }
  const status = { nodeName: 'node-2', migrationState }
  await patch(handler, VMIS, at('vm-1'), { status }, 'merge')
  await inPhase(plane, 'm', 'Succeeded')
  const vmi = await plane.until(async () => {
    const found = await plane.get<Vmi>(VMIS, 'vm-1')
    return found.metadata.labels?.['kubevirt.io/outdatedLauncherImage'] !== undefined && found
  }, 'the label')
  expect(vmi.status?.launcherContainerImageVersion).toBe('registry/virt-launcher:other')
  await gone(plane, (await plane.all<Pod>(PODS)).find(({ spec }) => spec.nodeName === 'node-1')!)
  const next = await plane.until(
    async () =>
      (await plane.all<Migration>(MIGRATIONS)).find(({ metadata }) => metadata.name !== 'm'),
    'a migration',
  )
  expect(next.spec).toEqual({ vmiName: 'vm-1', priority: 'system-critical' })
})

test('a migration that has ended is let go by the controller, not by others who hold it', async () => {
  const plane = await startControlPlane()
  await plane.run('vm-1', 'node-1')
  await plane.create(MIGRATIONS, {
    metadata: { name: 'm', finalizers: ['example.org/audit'] },
    spec: { vmiName: 'vm-1' },
  })
  await plane.targetOf('m')
  await remove(plane.admin, MIGRATIONS, at('m'))
  await inPhase(plane, 'm', 'Failed')
  const finalizers = async () => (await plane.get<Migration>(MIGRATIONS, 'm')).metadata.finalizers
  await plane.until(async () => (await finalizers())?.length === 1, 'one finalizer')
  expect(await finalizers()).toEqual(['example.org/audit'])
})

test('a migration that waits for a slot fails with its VM, and says so', async () => {
  const migrations = { parallelMigrationsPerCluster: 0 }
  const plane = await startControlPlane({ configuration: { migrations } })
  await plane.run('vm-1', 'node-1')
  await migrate(plane, 'm')
  await inPhase(plane, 'm', 'Pending')
  const source = await plane.launcherOf('vm-1')
  await remove(plane.admin, VMIS, at('vm-1'))
  await gone(plane, source)
  await plane.until(async () => (await plane.all(MIGRATIONS)).length === 0, 'no migration')
  expect(await plane.told('m')).toContain('Migration failed vmi shutdown during migration.')
})
