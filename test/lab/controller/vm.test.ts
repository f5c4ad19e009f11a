import { expect, test } from 'vitest'
import { patch, remove } from '../../../src/cluster/objects.ts'
import { PODS, PVCS, VMIS, VMS } from '../../../src/kubevirt/resources.ts'
import type { Pod, Vm, Vmi } from '../../../src/kubevirt/types.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const at = { namespace: 'demo', name: 'vm-1' }
const vm = (plane: ControlPlane) => plane.get<Vm>(VMS, 'vm-1')
const vmi = (plane: ControlPlane) => plane.get<Vmi>(VMIS, 'vm-1')
const change = (plane: ControlPlane, spec: object) => patch(plane.admin, VMS, at, { spec }, 'merge')
const conditionOf = async (plane: ControlPlane, type: string) =>
  (await vm(plane)).status?.conditions?.find((one) => one.type === type)

/** A VM of this spec whose guest runs on node-1. */
async function run(plane: ControlPlane, spec: object = {}, template: object = {}): Promise<void> {
  await plane.create(VMS, {
    metadata: { name: 'vm-1' },
    spec: {
      runStrategy: 'Always',
      template: {
        metadata: {},
        spec: {
          evictionStrategy: 'LiveMigrate',
          domain: { cpu: { model: 'Haswell', sockets: 1 }, devices: {} },
          ...template,
        },
      },
      ...spec,
    },
  })
  await boot(plane)
}

async function boot(plane: ControlPlane): Promise<void> {
  await plane.start(await plane.launcherOf('vm-1'), 'node-1')
  await plane.until(async () => (await vmi(plane)).status?.phase === 'Scheduled', 'Scheduled')
  await plane.handle('node-1', 'vm-1', {
    phase: 'Running',
    phaseTransitionTimestamps: [
      { phase: 'Running', phaseTransitionTimestamp: '2026-01-01T00:00:00Z' },
    ],
    selinuxContext: 'none',
    conditions: [{ type: 'LiveMigratable', status: 'True' }],
  })
}

/** The launcher ends, and its guest with it. */
async function end(plane: ControlPlane, phase: 'Succeeded' | 'Failed'): Promise<void> {
  const [{ metadata }] = (await plane.all<Pod>(PODS)) as [Pod]
  const launcher = { ...metadata, subresource: 'status' }
  await patch(plane.admin, PODS, launcher, { status: { phase } }, 'merge')
  await plane.handle('node-1', 'vm-1', { phase })
}

const isGone = (plane: ControlPlane) =>
  plane.until(async () => (await plane.all<Vmi>(VMIS)).length === 0, 'the VMI to be gone')

test('one that runs once stays as it ended', async () => {
  const plane = await startControlPlane()
  await run(plane, { runStrategy: 'Once' })
  await end(plane, 'Succeeded')
  await plane.until(async () => (await vm(plane)).status?.printableStatus === 'Stopped', 'Stopped')
  expect((await vmi(plane)).metadata.deletionTimestamp).toBeUndefined()
})

test('one that is rerun on failure is started again when it fails, and not when it is shut down', async () => {
  const plane = await startControlPlane()
  await run(plane, { runStrategy: 'RerunOnFailure' })
  const first = (await vmi(plane)).metadata.uid
  await end(plane, 'Failed')
  await plane.until(async () => {
    const [found] = await plane.all<Vmi>(VMIS)
    return found && found.metadata.uid !== first
  }, 'another VMI')
  await plane.until(
    async () => ((await vm(plane)).status?.stateChangeRequests ?? []).length === 0,
    'the request to be done',
  )
  await boot(plane)
  await end(plane, 'Succeeded')
  await isGone(plane)
  await plane.until(async () => (await vm(plane)).status?.printableStatus === 'Stopped', 'Stopped')
})

test('one whose guest never runs is tried again later and later', async () => {
  const plane = await startControlPlane()
  await plane.create(VMS, {
    metadata: { name: 'vm-1' },
    spec: { runStrategy: 'Always', template: { spec: { domain: { devices: {} } } } },
  })
  const { metadata } = await plane.launcherOf('vm-1')
  await plane.until(async () => (await vmi(plane)).status?.phase === 'Scheduling', 'Scheduling')
  await remove(plane.admin, PODS, metadata)
  await plane.until(
    async () => (await vm(plane)).status?.printableStatus === 'CrashLoopBackOff',
    'CrashLoopBackOff',
  )
  expect((await vm(plane)).status?.startFailure).toMatchObject({ consecutiveFailCount: 1 })
  await isGone(plane)
})

test('a change that is nothing to the guest leaves it up to date, and one that fails is told', async () => {
  const plane = await startControlPlane()
  await run(plane)
  const generation = async () =>
    (await vmi(plane)).metadata.annotations?.['kubevirt.io/vm-generation']
  expect(await generation()).toBe('1')
  expect((await vm(plane)).metadata.annotations).toMatchObject({
    'kubevirt.io/latest-observed-api-version': 'v1',
  })
  await change(plane, { updateVolumesStrategy: 'Migration' })
  await plane.until(async () => (await generation()) === '2', 'generation 2')

  const moving = { migrationState: { startTimestamp: '2026-01-01T00:00:00Z' } }
  await plane.handle('node-1', 'vm-1', moving)
  await change(plane, { template: { spec: { domain: { cpu: { sockets: 2 } } } } })
  const failure = await plane.until(() => conditionOf(plane, 'Failure'), 'a failure')
  expect(failure).toMatchObject({
    reason: 'HotPlugCPUError',
    message:
      'Error encountered while handling CPU change request: CPU hotplug is not allowed while VMI is migrating',
  })
  expect(await generation()).toBe('2')
  expect((await vm(plane)).status).toMatchObject({ observedGeneration: 2, desiredGeneration: 3 })
  await plane.handle('node-1', 'vm-1', {
    migrationState: { endTimestamp: '2026-01-01T00:00:01Z', completed: true },
  })
  await plane.until(async () => !(await conditionOf(plane, 'Failure')), 'no failure')
  expect((await vmi(plane)).spec.domain?.cpu?.sockets).toBe(2)
})

test('its guest outlives it when it is deleted without its dependents', async () => {
  const plane = await startControlPlane()
  await run(plane)
  await remove(plane.admin, VMS, at, { propagationPolicy: 'Orphan' })
  await plane.until(async () => (await plane.all<Vm>(VMS)).length === 0, 'the VM to be gone')
  const { metadata } = await vmi(plane)
  expect(metadata.deletionTimestamp).toBeUndefined()
  expect(metadata.ownerReferences ?? []).toEqual([])

  await end(plane, 'Succeeded')
  await remove(plane.admin, VMIS, at)
  await isGone(plane)
})

/** A VM whose disk is being copied into another claim. */
async function copying(plane: ControlPlane): Promise<void> {
  for (const name of ['old', 'new'])
    await plane.create(PVCS, {
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
  await run(plane, {}, disk('old'))
  await change(plane, { updateVolumesStrategy: 'Migration', template: { spec: disk('new') } })
  await plane.until(() => isCopying(plane), 'the copy to be told')
}

const disk = (claimName: string) => ({
  domain: { cpu: { model: 'Haswell' }, devices: { disks: [{ name: 'root', disk: {} }] } },
  volumes: [{ name: 'root', persistentVolumeClaim: { claimName } }],
})
const isCopying = async (plane: ControlPlane) =>
  (await conditionOf(plane, 'VolumesChange'))?.status === 'True'

test('a copy of its volumes can be taken back', async () => {
  const plane = await startControlPlane()
  await copying(plane)
  expect((await vm(plane)).status?.volumeUpdateState).toMatchObject({
    volumeMigrationState: { migratedVolumes: [{ volumeName: 'root' }] },
  })
  await change(plane, { template: { spec: disk('old') } })
  const told = await plane.until(async () => {
    const found = (await vmi(plane)).status?.conditions?.find(
      ({ type }) => type === 'VolumesChange',
    )
    return found?.status === 'False' && found
  }, 'the copy to be taken back')
  expect(told.reason).toBe('VolumesChangeCancellation')
  expect((await vmi(plane)).status?.migratedVolumes ?? []).toEqual([])
  await plane.until(
    async () => !(await vm(plane)).status?.volumeUpdateState?.volumeMigrationState,
    'the VM to forget it',
  )
  // Its template is again what it was started with.
  expect((await vmi(plane)).metadata.annotations?.['kubevirt.io/vm-generation']).toBe('3')
})

test('a VM that is stopped while its volumes are copied is not started again with half of them', async () => {
  const plane = await startControlPlane()
  await copying(plane)
  await change(plane, { runStrategy: 'Halted' })
  await plane.until(
    async () => (await plane.all<Pod>(PODS)).every(({ metadata }) => metadata.deletionTimestamp),
    'the launcher to be stopped',
  )
  await end(plane, 'Succeeded')
  await isGone(plane)
  const told = await plane.until(() => conditionOf(plane, 'ManualRecoveryRequired'), 'the need')
  expect(told.reason).toBe('VMI was removed or was final during the volume migration')
  await change(plane, { runStrategy: 'Always' })
  await plane.until(async () => (await vm(plane)).status?.runStrategy === 'Always', 'Always')
  expect(await plane.all<Vmi>(VMIS)).toEqual([])
  await change(plane, { template: { spec: disk('old') } })
  await plane.launcherOf('vm-1')
  expect(await conditionOf(plane, 'ManualRecoveryRequired')).toBeUndefined()
})
