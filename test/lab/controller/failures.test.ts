import { describe, expect, test } from 'vitest'
import { patch, remove } from '../../../src/cluster/objects.ts'
import { MIGRATIONS, PODS, RESOURCE_QUOTAS, VMIS } from '../../../src/kubevirt/resources.ts'
import type { Migration, Pod, ResourceQuota, Vmi } from '../../../src/kubevirt/types.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const at = (name: string) => ({ namespace: 'demo', name })

/** A VM and a migration of it that was handed off to node-2. */
async function handedOff(): Promise<{ plane: ControlPlane; target: Pod }> {
  const plane = await startControlPlane()
  await plane.run('vm-1', 'node-1')
  await plane.create(MIGRATIONS, { metadata: { name: 'm' }, spec: { vmiName: 'vm-1' } })
  const target = await plane.targetOf('m')
  await plane.start(target, 'node-2')
  await plane.until(async () => (await plane.phaseOf('m')) === 'PreparingTarget', 'hand-off')
  return { plane, target }
}

const failed = (plane: ControlPlane) =>
  plane.until(async () => (await plane.phaseOf('m')) === 'Failed', 'the migration to fail')

/** The kubelet's last word on a pod. */
const kill = (plane: ControlPlane, pod: Pod) =>
  remove(plane.admin, PODS, pod.metadata, { gracePeriodSeconds: 0 })

describe('a migration fails', () => {
  test('when its VM ends on the way, and the VM’s slot says so', async () => {
    const { plane } = await handedOff()
    await plane.handle('node-1', 'vm-1', { phase: 'Succeeded' })
    await failed(plane)
    await plane.until(
      async () => (await plane.get<Vmi>(VMIS, 'vm-1')).status?.migrationState?.failed,
      'the slot to say that it failed',
    )
    expect(await plane.told('m')).toContain('Migration failed vmi shutdown during migration.')
  })

  test('when its target pod is deleted while it is prepared', async () => {
    const { plane, target } = await handedOff()
    await remove(plane.admin, PODS, target.metadata)
    expect(await plane.phaseOf('m')).toBe('PreparingTarget')
    await kill(plane, target)
    await plane.until(
      async () => (await plane.get<Vmi>(VMIS, 'vm-1')).status?.migrationState?.failed,
      'the slot to say that it failed',
    )
    await failed(plane)
    expect(await plane.told('m')).toContain(
      'Migration target pod was removed during active migration.',
    )
    expect(await plane.told('vm-1')).toContainEqual(
      expect.stringMatching(
        /^VirtualMachineInstance migration uid .* failed. reason: Target pod is down$/,
      ),
    )
  })

  test('when its target pod vanishes while the copy runs', async () => {
    const { plane, target } = await handedOff()
    await plane.handle('node-2', 'vm-1', { migrationState: { targetNodeAddress: '10.0.0.2' } })
    await plane.handle('node-1', 'vm-1', {
      migrationState: { startTimestamp: '2026-01-01T00:00:00Z' },
    })
    await plane.until(async () => (await plane.phaseOf('m')) === 'Running', 'the copy')
    await kill(plane, target)
    await failed(plane)
    await plane.until(
      async () =>
        (await plane.get<Migration>(MIGRATIONS, 'm')).status?.migrationState?.failureReason ===
        'Target pod is down',
      'the reason',
    )
    expect(await plane.told('m')).toContain(
      'Migration target pod was removed during active migration.',
    )
  })

  test('when its target pod stays pending for too long', async () => {
    const plane = await startControlPlane()
    await plane.run('vm-1', 'node-1')
    const annotations = { 'kubevirt.io/migrationPendingPodTimeoutSeconds': '2' }
    await plane.create(MIGRATIONS, {
      metadata: { name: 'm', annotations },
      spec: { vmiName: 'vm-1' },
    })
    const { metadata } = await plane.targetOf('m')
    await failed(plane)
    expect(await plane.told('m')).toEqual(
      expect.arrayContaining([
        `pending pod demo/${metadata.name} timeout period exceeded`,
        'Migration target pod was removed during active migration.',
      ]),
    )
  })
})

test('deleted after hand-off, it is aborted only when it runs, and then it is gone', async () => {
  const { plane } = await handedOff()
  await remove(plane.admin, MIGRATIONS, at('m'))
  await plane.handle('node-2', 'vm-1', { migrationState: { targetNodeAddress: '10.0.0.2' } })
  await plane.until(async () => (await plane.phaseOf('m')) === 'TargetReady', 'TargetReady')
  const state = async () => (await plane.get<Vmi>(VMIS, 'vm-1')).status?.migrationState
  expect((await state())?.abortRequested).toBeUndefined()
  await plane.handle('node-1', 'vm-1', {
    migrationState: { startTimestamp: '2026-01-01T00:00:00Z' },
  })
  await plane.until(async () => (await state())?.abortRequested, 'the abort')
  const end = { completed: true, failed: true, abortStatus: 'Succeeded' }
  await plane.handle('node-1', 'vm-1', { migrationState: end })
  await plane.until(async () => (await plane.all<Migration>(MIGRATIONS)).length === 0, 'its end')
})

test('a VMI whose pod is refused says so until it has one', async () => {
  const plane = await startControlPlane()
  const quota = await plane.create(RESOURCE_QUOTAS, {
    metadata: { name: 'q' },
    spec: { hard: { pods: '0' } },
  })
  const condition = async () =>
    (await plane.get<Vmi>(VMIS, 'vm-1')).status?.conditions?.find(
      ({ type }) => type === 'Synchronized',
    )
  // A quota holds only once its controller has counted.
  await plane.until(
    async () => (await plane.all<ResourceQuota>(RESOURCE_QUOTAS))[0]?.status?.used,
    'the quota to be counted',
  )
  await plane.create(VMIS, { metadata: { name: 'vm-1' }, spec: { domain: { devices: {} } } })
  expect(await plane.until(condition, 'the failure')).toMatchObject({
    status: 'False',
    reason: 'FailedCreate',
    message: expect.stringMatching(/^failed to create virtual machine pod: .* exceeded quota: q/),
  })
  expect(await plane.told('vm-1')).toContainEqual(expect.stringMatching(/^Error creating pod: /))
  await remove(plane.admin, RESOURCE_QUOTAS, quota.metadata)
  await plane.launcherOf('vm-1')
  await plane.until(async () => !(await condition()), 'the condition to go')
})

test('of a VMI that is deleted nothing is left', async () => {
  const { plane, target } = await handedOff()
  await remove(plane.admin, VMIS, at('vm-1'))
  const pods = await plane.until(async () => {
    const all = await plane.all<Pod>(PODS)
    return all.every(({ metadata }) => metadata.deletionTimestamp) && all
  }, 'its pods to be deleted')
  expect(pods.map(({ metadata }) => metadata.uid)).toContain(target.metadata.uid)
  for (const pod of pods) await kill(plane, pod)
  await plane.until(async () => (await plane.all<Vmi>(VMIS)).length === 0, 'the VMI to be gone')
  await plane.until(
    async () => (await plane.all<Migration>(MIGRATIONS)).length === 0,
    'the migration to be gone',
  )
})

test('a migration whose VMI is not there any more does not hang in its deletion', async () => {
  const { plane } = await handedOff()
  const vmi = await plane.get<Vmi>(VMIS, 'vm-1')
  await patch(plane.controller, VMIS, vmi.metadata, { metadata: { finalizers: null } }, 'merge')
  await remove(plane.admin, VMIS, at('vm-1'))
  await plane.until(
    async () => (await plane.all<Migration>(MIGRATIONS)).length === 0,
    'the migration to be gone',
  )
})
