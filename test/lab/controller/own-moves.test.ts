import { expect, test } from 'vitest'
import { patch, remove } from '../../../src/cluster/objects.ts'
import { podInterfaceName } from '../../../src/kubevirt/multus.ts'
import { parseQuantity, unitsOf, ZERO } from '../../../src/kubevirt/quantity.ts'
import { MIGRATIONS, NODES, PVCS, VMIS, VMS } from '../../../src/kubevirt/resources.ts'
import type { Migration, Pod, Vm, Vmi } from '../../../src/kubevirt/types.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const at = (name: string) => ({ namespace: 'demo', name })
const migrations = (plane: ControlPlane) => plane.all<Migration>(MIGRATIONS)
const LIVE = { workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] } }

test('the drain taint moves all VMs off the node', async () => {
  const plane = await startControlPlane()
  await plane.run('vm-1', 'node-1')
  await plane.run('vm-2', 'node-2')
  const taints = [{ key: 'kubevirt.io/drain', effect: 'NoSchedule' }]
  await patch(plane.admin, NODES, { name: 'node-1' }, { spec: { taints } }, 'merge')
  const [migration] = await plane.until(async () => {
    const all = await migrations(plane)
    return all.length > 0 && all
  }, 'an evacuation')
  expect(migration?.spec).toEqual({ vmiName: 'vm-1', priority: 'system-critical' })
  expect(migration?.metadata.annotations).toMatchObject({
    'kubevirt.io/evacuationMigration': 'node-1',
  })
})

test('a canceled evacuation comes back as long as the VM is marked', async () => {
  const plane = await startControlPlane()
  await plane.run('vm-1', 'node-1')
  const mark = { evacuationNodeName: 'node-1' }
  await patch(plane.controller, VMIS, at('vm-1'), { status: mark }, 'merge')
  const first = await plane.until(async () => (await migrations(plane))[0], 'an evacuation')
  await plane.targetOf(first.metadata.name)
  await remove(plane.admin, MIGRATIONS, first.metadata)
  const second = await plane.until(
    async () =>
      (await migrations(plane)).find(({ metadata }) => metadata.uid !== first.metadata.uid),
    'another evacuation',
  )
  await plane.targetOf(second.metadata.name)

  await patch(plane.controller, VMIS, at('vm-1'), { status: { evacuationNodeName: null } }, 'merge')
  await plane.until(
    async () =>
      (await plane.get<Vmi>(VMIS, 'vm-1')).status?.conditions?.every(
        ({ type }) => type !== 'EvictionRequested',
      ),
    'the mark to be gone',
  )
  await remove(plane.admin, MIGRATIONS, second.metadata)
  await plane.until(async () => (await migrations(plane)).length === 0, 'no evacuation')
})

/** A VM that runs on node-1 with an interface on a network of its own. */
async function vmWithNetwork(plane: ControlPlane): Promise<void> {
  const spec = {
    evictionStrategy: 'LiveMigrate',
    domain: {
      cpu: { model: 'Haswell' },
      devices: { interfaces: [{ name: 'blue', bridge: {} }] },
    },
    networks: [{ name: 'blue', multus: { networkName: 'nad-blue' } }],
  }
  await plane.create(VMS, {
    metadata: { name: 'vm-1' },
    spec: { runStrategy: 'Always', template: { metadata: {}, spec } },
  })
  const pod = await plane.launcherOf('vm-1')
  const status = [{ name: 'demo/nad-blue', interface: podInterfaceName('blue') }]
  const annotations = { 'k8s.v1.cni.cncf.io/network-status': JSON.stringify(status) }
  await plane.annotate(pod, annotations)
  await plane.start(pod, 'node-1')
  await plane.until(
    async () => (await plane.get<Vmi>(VMIS, 'vm-1')).status?.phase === 'Scheduled',
    'vm-1 to be Scheduled',
  )
  await plane.handle('node-1', 'vm-1', {
    phase: 'Running',
    selinuxContext: 'none',
    conditions: [{ type: 'LiveMigratable', status: 'True' }],
    interfaces: [{ name: 'blue', infoSource: 'domain, multus-status' }],
  })
}

test('a VM whose network is attached elsewhere moves by itself', async () => {
  const plane = await startControlPlane(LIVE)
  await vmWithNetwork(plane)
  const networks = [{ name: 'blue', multus: { networkName: 'nad-red' } }]
  await patch(plane.admin, VMS, at('vm-1'), { spec: { template: { spec: { networks } } } }, 'merge')
  const conditions = await plane.until(async () => {
    const found = (await plane.get<Vmi>(VMIS, 'vm-1')).status?.conditions
    return found?.some(({ type }) => type === 'MigrationRequired') && found
  }, 'MigrationRequired')
  expect(conditions).toContainEqual(
    expect.objectContaining({
      type: 'MigrationRequired',
      status: 'True',
      reason: 'AutoMigrationDueToLiveUpdate',
    }),
  )
  const migration = await plane.until(async () => (await migrations(plane))[0], 'a migration')
  expect(migration.metadata.annotations).toHaveProperty(['kubevirt.io/workloadUpdateMigration'])
  expect(migration.spec.priority).toBe('user-triggered')
  const target = await plane.targetOf(migration.metadata.name)
  expect(target.metadata.annotations?.['k8s.v1.cni.cncf.io/networks']).toContain('nad-red')
})

test('an interface that comes is first offered to whoever attaches networks to running pods', async () => {
  const plane = await startControlPlane(LIVE)
  await vmWithNetwork(plane)
  const spec = {
    domain: {
      devices: {
        interfaces: [
          { name: 'blue', bridge: {} },
          { name: 'red', bridge: {} },
        ],
      },
    },
    networks: [
      { name: 'blue', multus: { networkName: 'nad-blue' } },
      { name: 'red', multus: { networkName: 'nad-red' } },
    ],
  }
  await patch(plane.admin, VMS, at('vm-1'), { spec: { template: { spec } } }, 'merge')
  const pending = { type: 'MigrationRequired', status: 'False', reason: 'AutoMigrationPending' }
  const conditions = await plane.until(async () => {
    const found = (await plane.get<Vmi>(VMIS, 'vm-1')).status?.conditions
    return found?.some(({ type }) => type === 'MigrationRequired') && found
  }, 'MigrationRequired')
  expect(conditions).toContainEqual(expect.objectContaining(pending))
  const networks = async () =>
    (await plane.launcherOf('vm-1')).metadata.annotations?.['k8s.v1.cni.cncf.io/networks'] ?? ''
  await plane.until(async () => (await networks()).includes('nad-red'), 'the pod to ask for it')

  const status = ['blue', 'red'].map((name) => ({
    name: `demo/nad-${name}`,
    interface: podInterfaceName(name),
  }))
  const annotations = { 'k8s.v1.cni.cncf.io/network-status': JSON.stringify(status) }
  await plane.annotate(await plane.launcherOf('vm-1'), annotations)
  const settled = await plane.until(async () => {
    const found = (await plane.get<Vmi>(VMIS, 'vm-1')).status
    return found?.conditions?.every(({ type }) => type !== 'MigrationRequired') && found
  }, 'nothing to be required any more')
  expect(settled.interfaces?.map(({ name }) => name)).toEqual(['blue', 'red'])
})

test('a VM is stopped and started by its run strategy', async () => {
  const plane = await startControlPlane()
  await plane.create(VMS, {
    metadata: { name: 'vm-1' },
    spec: {
      runStrategy: 'Always',
      template: { spec: { domain: { cpu: { model: 'Haswell' }, devices: {} } } },
    },
  })
  const pod = await plane.launcherOf('vm-1')
  const status = async () => (await plane.get<Vm>(VMS, 'vm-1')).status?.printableStatus
  await plane.until(async () => (await status()) === 'Starting', 'Starting')
  const model = { spec: { template: { spec: { domain: { cpu: { model: 'Skylake' } } } } } }
  await patch(plane.admin, VMS, at('vm-1'), model, 'merge')
  const restart = async () =>
    (await plane.get<Vm>(VMS, 'vm-1')).status?.conditions?.find(
      ({ type }) => type === 'RestartRequired',
    )?.message
  await plane.until(
    async () => (await restart()) === 'a non-live-updatable field was changed in the template spec',
    'a restart to be due',
  )
  await patch(plane.admin, VMS, at('vm-1'), { spec: { runStrategy: 'Halted' } }, 'merge')
  await plane.until(async () => (await status()) === 'Stopped', 'Stopped')
  expect(await plane.told('vm-1')).toContainEqual(
    expect.stringMatching(/^Stopped the virtual machine by deleting the virtual machine instance /),
  )
  await plane.until(async () => (await plane.all<Vmi>(VMIS)).length === 0, 'the VMI to be gone')
  await patch(plane.admin, VMS, at('vm-1'), { spec: { runStrategy: 'Always' } }, 'merge')
  const again = await plane.until(async () => {
    const found = await plane.launcherOf('vm-1')
    return found.metadata.uid !== pod.metadata.uid && found
  }, 'another launcher')
  expect(again.metadata.annotations?.['kubevirt.io/vm-generation']).not.toBe('1')
  await remove(plane.admin, VMS, at('vm-1'))
  await plane.until(async () => (await plane.all<Vm>(VMS)).length === 0, 'the VM to be gone')
})

test('a VM whose volume is to lie in another claim moves by itself, and is not shared', async () => {
  const plane = await startControlPlane(LIVE)
  for (const name of ['old', 'new'])
    await plane.create(PVCS, {
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
  const volumes = (claimName: string) => [{ name: 'root', persistentVolumeClaim: { claimName } }]
  const spec = {
    evictionStrategy: 'LiveMigrate',
    domain: { cpu: { model: 'Haswell' }, devices: { disks: [{ name: 'root', disk: {} }] } },
    volumes: volumes('old'),
  }
  await plane.create(VMS, {
    metadata: { name: 'vm-1' },
    spec: { runStrategy: 'Always', template: { metadata: {}, spec } },
  })
  await plane.start(await plane.launcherOf('vm-1'), 'node-1')
  await plane.until(
    async () => (await plane.get<Vmi>(VMIS, 'vm-1')).status?.phase === 'Scheduled',
    'vm-1 to be Scheduled',
  )
  await plane.handle('node-1', 'vm-1', { phase: 'Running', selinuxContext: 'none' })
  const change = {
    updateVolumesStrategy: 'Migration',
    template: { spec: { volumes: volumes('new') } },
  }
  await patch(plane.admin, VMS, at('vm-1'), { spec: change }, 'merge')
  const vmi = await plane.until(async () => {
    const found = await plane.get<Vmi>(VMIS, 'vm-1')
    return found.status?.conditions?.some(({ type }) => type === 'VolumesChange') && found
  }, 'VolumesChange')
  expect(vmi.spec.volumes).toEqual(volumes('new'))
  expect(vmi.status?.migratedVolumes).toMatchObject([
    { volumeName: 'root', sourcePVCInfo: { claimName: 'old' } },
  ])
  const migration = await plane.until(async () => (await migrations(plane))[0], 'a migration')
  expect(migration.metadata.labels).toHaveProperty(['kubevirt.io/volume-update-migration'], 'vm-1')
  expect(migration.spec.priority).toBe('user-triggered')

  const back = { template: { spec: { volumes: volumes('old') } } }
  await patch(plane.admin, VMS, at('vm-1'), { spec: back }, 'merge')
  await expect.poll(() => migrations(plane), { timeout: 60_000 }).toEqual([])
  expect((await plane.get<Vmi>(VMIS, 'vm-1')).status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'VolumesChange',
      status: 'False',
      reason: 'VolumesChangeCancellation',
    }),
  )
}, 90_000)

test('a VM that gets more memory moves into a launcher with room for it', async () => {
  const plane = await startControlPlane({
    workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] },
    configuration: { additionalGuestMemoryOverheadRatio: '1.5' },
  })
  const spec = {
    evictionStrategy: 'LiveMigrate',
    domain: { cpu: { model: 'Haswell' }, memory: { guest: '1Gi' }, devices: {} },
  }
  await plane.create(VMS, {
    metadata: { name: 'vm-1' },
    spec: { runStrategy: 'Always', template: { spec } },
  })
  const source = await plane.launcherOf('vm-1')
  await plane.start(source, 'node-1')
  const vmi = () => plane.get<Vmi>(VMIS, 'vm-1')
  await plane.until(async () => (await vmi()).status?.phase === 'Scheduled', 'Scheduled')
  await plane.handle('node-1', 'vm-1', {
    phase: 'Running',
    selinuxContext: 'none',
    conditions: [{ type: 'LiveMigratable', status: 'True' }],
  })
  const change = (guest: string) => ({
    spec: { template: { spec: { domain: { memory: { guest } } } } },
  })
  await patch(plane.admin, VMS, at('vm-1'), change('2Gi'), 'merge')
  const has = async (type: string, status: string) =>
    (await vmi()).status?.conditions?.some((one) => one.type === type && one.status === status)
  await plane.until(() => has('HotMemoryChange', 'True'), 'the hotplug to be told')
  expect((await vmi()).spec.domain?.memory?.guest).toBe('2Gi')
  expect((await vmi()).metadata.labels?.['kubevirt.io/memory-hotplug-overhead-ratio']).toBe('1.5')

  const made = await plane.until(async () => (await migrations(plane))[0], 'a move of its own')
  expect(made.spec.priority).toBe('user-triggered')
  const target = await plane.targetOf(made.metadata.name)
  const memoryOf = (pod: Pod) =>
    unitsOf(
      parseQuantity(
        pod.spec.containers.find(({ name }) => name === 'compute')?.resources?.requests?.['memory'],
      ) ?? ZERO,
    )
  expect(memoryOf(target) - memoryOf(source)).toBeGreaterThanOrEqual(2 ** 30)
  await plane.start(target, 'node-2')
  await plane.until(
    async () => (await vmi()).status?.migrationState?.targetNode === 'node-2',
    'hand-off',
  )
  const told = (await vmi()).metadata.labels?.['kubevirt.io/vmi-pod-memory-resource-requests']
  expect(unitsOf(parseQuantity(told) ?? ZERO)).toBe(memoryOf(target))

  // It has arrived, but is not done before the guest has its memory.
  const time = '2026-01-01T00:00:00Z'
  const ended = { startTimestamp: time, endTimestamp: time, completed: true }
  const migrationState = { targetNodeAddress: '10.0.0.2', ...ended }
  await plane.handle('node-2', 'vm-1', { nodeName: 'node-2', migrationState })
  await plane.until(
    async () => (await plane.phaseOf(made.metadata.name)) === 'Running',
    'it to wait for the memory',
  )
  const conditions = [{ type: 'LiveMigratable', status: 'True' }]
  await plane.handle('node-2', 'vm-1', {
    conditions,
    memory: { guestAtBoot: '1Gi', guestCurrent: '2Gi', guestRequested: '2Gi' },
  })
  await plane.until(
    async () => (await plane.phaseOf(made.metadata.name)) === 'Succeeded',
    'its end',
  )
}, 30_000)
