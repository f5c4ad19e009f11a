import { describe, expect, test } from 'vitest'
import { patch } from '../../../src/cluster/objects.ts'
import { conditionOf, phaseOf } from '../../../src/kubevirt/migration.ts'
import {
  DISRUPTION_BUDGETS,
  MIGRATIONS,
  NODES,
  PODS,
  VMIS,
  VMS,
} from '../../../src/kubevirt/resources.ts'
import type { Migration, Pod } from '../../../src/kubevirt/types.ts'
import type { DisruptionBudget } from '../../../src/rules/disruption-budget.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import {
  at,
  evict,
  isGone,
  kill,
  limits,
  migrate,
  reached,
  running,
  TIME,
  vmiNow,
} from './moves.ts'

describe('a guest', () => {
  test('whose post-copy failed is lost, and its migration with it', async () => {
    const plane = await startControlPlane(limits({ allowPostCopy: true }))
    await plane.run('vm-1', 'node-1')
    await running(plane)
    const { migrationConfiguration } = (await vmiNow(plane)).status?.migrationState ?? {}
    expect(migrationConfiguration).toMatchObject({
      allowPostCopy: true,
      allowWorkloadDisruption: true,
    })
    const end = { mode: 'PostCopy', failed: true, completed: true, endTimestamp: TIME }
    await plane.handle('node-1', 'vm-1', { phase: 'Failed', migrationState: end })
    await reached(plane, 'm', 'Failed')
    expect(await plane.told('m')).toContain('Migration failed vmi shutdown during migration.')
  })

  test('that is paused on its way keeps its target pod from being ready', async () => {
    const plane = await startControlPlane()
    await plane.run('vm-1', 'node-1')
    const target = await running(plane)
    const paused = { type: 'Paused', status: 'True', reason: 'PausedByMigrationMonitor' }
    const conditions = [{ type: 'LiveMigratable', status: 'True' }, paused]
    const end = { mode: 'Paused', endTimestamp: TIME, completed: true }
    await plane.handle('node-1', 'vm-1', { conditions, migrationState: { mode: 'Paused' } })
    await plane.handle('node-2', 'vm-1', { nodeName: 'node-2', migrationState: end })
    await reached(plane, 'm', 'Succeeded')
    const gate = 'kubevirt.io/virtual-machine-unpaused'
    expect(conditionOf(await plane.get<Pod>(PODS, target.metadata.name), gate)).toBeUndefined()
    await plane.handle('node-2', 'vm-1', { conditions: conditions.slice(0, 1) })
    await plane.until(
      async () =>
        conditionOf(await plane.get<Pod>(PODS, target.metadata.name), gate)?.status === 'True',
      'the gate to open',
    )
  })

  test('that is stopped by its VM while it moves leaves nothing behind', async () => {
    const plane = await startControlPlane()
    const spec = { evictionStrategy: 'LiveMigrate', domain: { devices: {} } }
    await plane.create(VMS, {
      metadata: { name: 'vm-1' },
      spec: { runStrategy: 'Always', template: { spec } },
    })
    const source = await plane.launcherOf('vm-1')
    await plane.start(source, 'node-1')
    await plane.until(async () => (await vmiNow(plane)).status?.phase === 'Scheduled', 'Scheduled')
    await patch(
      plane.admin,
      NODES,
      { name: 'node-1' },
      { metadata: { labels: { 'host-model-cpu.node.kubevirt.io/Haswell': 'true' } } },
      'merge',
    )
    const conditions = [{ type: 'LiveMigratable', status: 'True' }]
    const status = { phase: 'Running', selinuxContext: 'none', conditions }
    await plane.handle('node-1', 'vm-1', status)
    const target = await running(plane)
    await patch(plane.admin, VMS, at('vm-1'), { spec: { runStrategy: 'Halted' } }, 'merge')
    await plane.until(async () => (await vmiNow(plane)).metadata.deletionTimestamp, 'the stop')
    expect(await plane.phaseOf('m')).toBe('Running')
    await plane.handle('node-1', 'vm-1', { phase: 'Succeeded' })
    await reached(plane, 'm', 'Failed')
    for (const pod of [source, target]) await kill(plane, pod)
    await isGone(plane, 'm')
    expect(await plane.all(VMIS)).toEqual([])
    expect(await plane.told('vm-1')).toContain(
      `Deleted virtual machine pod ${target.metadata.name}`,
    )
  })

  test('whose source pod is deleted has failed, and so has its migration', async () => {
    const plane = await startControlPlane()
    const { metadata } = await plane.run('vm-1', 'node-1')
    const source = await plane.launcherOf('vm-1')
    await running(plane)
    await kill(plane, source)
    await plane.until(
      async () => (await vmiNow(plane)).status?.phase === 'Failed',
      'the VM to fail',
    )
    await reached(plane, 'm', 'Failed')
    expect(await plane.told('m')).toContain('Migration failed vmi shutdown during migration.')
    expect((await vmiNow(plane)).metadata.uid).toBe(metadata.uid)
  })
})

describe('a slot', () => {
  test('that another migration took makes the first one fail', async () => {
    const plane = await startControlPlane()
    await plane.run('vm-1', 'node-1')
    await running(plane)
    const migrationState = { migrationUid: 'another' }
    await patch(plane.controller, VMIS, at('vm-1'), { status: { migrationState } }, 'merge')
    await reached(plane, 'm', 'Failed')
    expect(await plane.told('m')).toContain(
      "VMI's migration state was taken over by another migration job during active migration.",
    )
  })

  test('that was cleared makes it fail too', async () => {
    const plane = await startControlPlane()
    await plane.run('vm-1', 'node-1')
    await running(plane)
    const status = { migrationState: null }
    await patch(plane.controller, VMIS, at('vm-1'), { status }, 'merge')
    await reached(plane, 'm', 'Failed')
    expect(await plane.told('m')).toContain(
      "VMI's migration state was cleared during the active migration.",
    )
  })
})

describe('an eviction', () => {
  test('that the descheduler asks for ranks lower', async () => {
    const plane = await startControlPlane()
    await plane.run('vm-1', 'node-1')
    const pod = await plane.launcherOf('vm-1')
    const answer = await evict(plane, pod, { 'requested-by': 'sigs.k8s.io/descheduler' })
    expect(answer).toContain('Eviction triggered evacuation of VMI "demo/vm-1"')
    const made = await plane.until(
      async () => (await plane.all<Migration>(MIGRATIONS))[0],
      'an evacuation',
    )
    expect(made.spec.priority).toBe('system-maintenance')
    expect((await vmiNow(plane)).metadata.annotations?.['kubevirt.io/eviction-source']).toBe(
      'descheduler',
    )
  })

  test('of a VM that a user moves already is an evacuation when that has failed', async () => {
    const plane = await startControlPlane()
    await plane.run('vm-1', 'node-1')
    await migrate(plane, 'm')
    const target = await plane.targetOf('m')
    await reached(plane, 'm', 'Scheduling')
    await evict(plane, await plane.get<Pod>(PODS, (await sourceOf(plane)).metadata.name))
    expect((await plane.all<Migration>(MIGRATIONS)).map(({ metadata }) => metadata.name)).toEqual([
      'm',
    ])
    await kill(plane, target)
    await reached(plane, 'm', 'Failed')
    const second = await plane.until(
      async () => (await plane.all<Migration>(MIGRATIONS)).find((one) => phaseOf(one) !== 'Failed'),
      'an evacuation',
    )
    expect(second.metadata.annotations).toMatchObject({
      'kubevirt.io/evacuationMigration': 'node-1',
    })
  })

  test('is up to the disruption budget where the VM would be shut down', async () => {
    const plane = await startControlPlane()
    for (const name of ['vm-1', 'vm-2']) {
      await plane.run(name, 'node-1', { evictionStrategy: 'None', domain: { devices: {} } })
    }
    const budget = await plane.create(DISRUPTION_BUDGETS, {
      metadata: { name: 'one' },
      spec: { minAvailable: 1, selector: { matchLabels: { 'kubevirt.io': 'virt-launcher' } } },
    })
    const status = async () =>
      (await plane.get<DisruptionBudget>(DISRUPTION_BUDGETS, budget.metadata.name)).status
    await plane.until(async () => (await status())?.disruptionsAllowed === 1, 'the budget')
    const [first, second] = [await plane.launcherOf('vm-1'), await plane.launcherOf('vm-2')]
    expect(await evict(plane, first)).toBe('evicted')
    expect((await status())?.disruptionsAllowed).toBe(0)
    expect(await evict(plane, second)).toContain(
      "Cannot evict pod as it would violate the pod's disruption budget.",
    )
  })

  const sourceOf = async (plane: ControlPlane) =>
    (await plane.all<Pod>(PODS)).find(({ spec }) => spec.nodeName === 'node-1')!
})

test('a hotplug that virt-handler takes back takes its migration along', async () => {
  const plane = await startControlPlane({
    workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] },
  })
  await plane.run('vm-1', 'node-1')
  const conditions = (...more: object[]) => ({
    conditions: [{ type: 'LiveMigratable', status: 'True' }, ...more],
  })
  const hotplug = { type: 'HotVCPUChange', status: 'True' }
  await plane.handle('node-1', 'vm-1', conditions(hotplug))
  const made = await plane.until(
    async () => (await plane.all<Migration>(MIGRATIONS))[0],
    'a move of its own',
  )
  expect(made.spec.priority).toBe('user-triggered')
  await plane.targetOf(made.metadata.name)
  await plane.handle('node-1', 'vm-1', conditions())
  await isGone(plane, made.metadata.name)
  expect(await plane.told('vm-1')).toEqual(
    expect.arrayContaining([
      `Created Migration ${made.metadata.name} for automated workload update`,
      'Aborted change for vmi: vm-1',
    ]),
  )
}, 30_000)
