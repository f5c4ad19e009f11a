import { describe, expect, test } from 'vitest'
import { patch, remove } from '../../../src/cluster/objects.ts'
import { conditionOf } from '../../../src/kubevirt/migration.ts'
import {
  KUBEVIRTS,
  MIGRATIONS,
  NODES,
  PODS,
  RESOURCE_QUOTAS,
} from '../../../src/kubevirt/resources.ts'
import type { Migration, Pod, ResourceQuota } from '../../../src/kubevirt/types.ts'
import { startControlPlane } from './control-plane.ts'
import { at, isGone, limits, migrate, reached, running, TIME, vmiNow } from './moves.ts'

describe('a migration that is deleted', () => {
  test('in the queue fails as canceled, without ever having had a pod', async () => {
    const plane = await startControlPlane(limits({ parallelMigrationsPerCluster: 1 }))
    await plane.run('vm-1', 'node-1')
    await plane.run('vm-2', 'node-1')
    await migrate(plane, 'first')
    await reached(plane, 'first', 'Scheduling')
    await migrate(plane, 'second', 'vm-2')
    await reached(plane, 'second', 'Pending')
    await remove(plane.admin, MIGRATIONS, at('second'))
    await isGone(plane, 'second')
    expect(await plane.told('second')).toEqual(['Migration failed due to being canceled'])
  })

  test('while its target pod starts takes that along', async () => {
    const plane = await startControlPlane()
    await plane.run('vm-1', 'node-1')
    await migrate(plane, 'm')
    const { metadata } = await plane.targetOf('m')
    await reached(plane, 'm', 'Scheduling')
    await remove(plane.admin, MIGRATIONS, at('m'))
    await isGone(plane, 'm')
    expect(await plane.told('m')).toEqual(
      expect.arrayContaining([
        `migration canceled and pod demo/${metadata.name} is deleted`,
        'Migration failed due to being canceled',
      ]),
    )
    expect((await vmiNow(plane)).status?.migrationState).toBeUndefined()
  })

  test('while the copy runs is aborted by the source, and may succeed all the same', async () => {
    const plane = await startControlPlane()
    await plane.run('vm-1', 'node-1')
    await running(plane)
    await remove(plane.admin, MIGRATIONS, at('m'))
    await plane.until(
      async () => (await vmiNow(plane)).status?.migrationState?.abortRequested,
      'the abort to be asked for',
    )
    expect(await plane.told('m')).toContain('Migration is ready to be canceled by virt-handler.')
    expect(
      conditionOf(await plane.get<Migration>(MIGRATIONS, 'm'), 'migrationAbortRequested'),
    ).toMatchObject({ status: 'True' })
    const end = { abortStatus: 'Failed', endTimestamp: TIME, completed: true }
    await plane.handle('node-2', 'vm-1', { nodeName: 'node-2', migrationState: end })
    await isGone(plane, 'm')
    expect(await plane.told('m')).toContain('Source node reported migration succeeded')
  })
})

describe('a quota that refused a target pod', () => {
  const refused = async () => {
    const plane = await startControlPlane()
    await plane.run('vm-1', 'node-1')
    await plane.create<ResourceQuota>(RESOURCE_QUOTAS, {
      metadata: { name: 'pods' },
      spec: { hard: { pods: '1' } },
    })
    await plane.until(
      async () => (await plane.get<ResourceQuota>(RESOURCE_QUOTAS, 'pods')).status?.used?.['pods'],
      'the quota to be measured',
    )
    await migrate(plane, 'm')
    await plane.until(
      async () =>
        conditionOf(
          await plane.get<Migration>(MIGRATIONS, 'm'),
          'migrationRejectedByResourceQuota',
        ),
      'the refusal',
    )
    return plane
  }

  test('lets it in at once when it is raised', async () => {
    const plane = await refused()
    await patch(
      plane.admin,
      RESOURCE_QUOTAS,
      at('pods'),
      { spec: { hard: { pods: '9' } } },
      'merge',
    )
    await plane.targetOf('m')
  })

  test('and when it is gone', async () => {
    const plane = await refused()
    await remove(plane.admin, RESOURCE_QUOTAS, at('pods'))
    await plane.targetOf('m')
    await reached(plane, 'm', 'Scheduling')
  })
})

test('a limit that is raised lets the next one go without a restart', async () => {
  const plane = await startControlPlane(limits({ parallelOutboundMigrationsPerNode: 1 }))
  await plane.run('vm-1', 'node-1')
  await plane.run('vm-2', 'node-1')
  await plane.run('vm-3', 'node-3')
  await migrate(plane, 'first')
  await reached(plane, 'first', 'Scheduling')
  await migrate(plane, 'second', 'vm-2')
  // Another node's limit is its own.
  await migrate(plane, 'third', 'vm-3')
  await reached(plane, 'third', 'Scheduling')
  expect(await plane.phaseOf('second')).toBe('Pending')
  const kubevirt = { namespace: 'kubevirt', name: 'kubevirt' }
  const spec = limits({ parallelOutboundMigrationsPerNode: 2 })
  await patch(plane.admin, KUBEVIRTS, kubevirt, { spec }, 'merge')
  await reached(plane, 'second', 'Scheduling')
})

test('a target pod that no node takes is given up by whichever limit is over first', async () => {
  const plane = await startControlPlane()
  await plane.run('vm-1', 'node-1')
  const annotations = {
    'kubevirt.io/migrationPendingPodTimeoutSeconds': '3',
    'kubevirt.io/migrationUnschedulablePodTimeoutSeconds': '600',
  }
  await migrate(plane, 'm', 'vm-1', { annotations })
  const { metadata } = await plane.targetOf('m')
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }
  const status = { conditions: [condition] }
  await patch(plane.admin, PODS, { ...metadata, subresource: 'status' }, { status }, 'strategic')
  await reached(plane, 'm', 'Failed')
  expect(await plane.told('m')).toEqual(
    expect.arrayContaining([
      'Migration target pod for VMI [demo/vm-1] is currently unschedulable.',
      `pending pod demo/${metadata.name} timeout period exceeded`,
      'Migration target pod was removed during active migration.',
    ]),
  )
})

test('a VM whose source node is not there any more waits without a word', async () => {
  const plane = await startControlPlane()
  await plane.run('vm-1', 'node-1')
  await remove(plane.admin, NODES, { name: 'node-1' })
  await migrate(plane, 'm')
  await reached(plane, 'm', 'Pending')
  expect(await plane.told('m')).toEqual([])
  expect((await plane.all<Pod>(PODS)).length).toBe(1)
  await plane.admin.request({
    method: 'POST',
    path: '/api/v1/nodes',
    body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' }, spec: {} },
  })
  await reached(plane, 'm', 'Scheduling')
})
