import { describe, expect, test } from 'vitest'
import type { KubeVirt, Pod } from '../../src/kubevirt/types.ts'
import { capacityFor, runningMigrations } from '../../src/rules/capacity.ts'
import { pollInterval, standingOf, wokenBy } from '../../src/rules/queue.ts'
import { launcher, migration, vmi } from './objects.ts'

const kubevirt = (cluster: number, outbound: number): KubeVirt => ({
  metadata: { name: 'kubevirt' },
  spec: {
    configuration: {
      migrations: {
        parallelMigrationsPerCluster: cluster,
        parallelOutboundMigrationsPerNode: outbound,
      },
    },
  },
})
const targetOf = (uid: string): Pod =>
  launcher(`target-${uid}`, { metadata: { labels: { 'kubevirt.io/migrationJobUID': uid } } })
const names = (migrations: { metadata: { name: string } }[]) =>
  migrations.map(({ metadata }) => metadata.name)

test('a migration holds a slot from the moment its target pod exists until it ends', () => {
  const migrations = [
    migration('new'),
    migration('waiting', { phase: 'Pending' }),
    migration('with-pod', { phase: 'Pending' }),
    ...['Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady', 'Running'].map((phase) =>
      migration(phase, { phase }),
    ),
    migration('done', { phase: 'Succeeded' }),
  ]
  const pods = [targetOf('uid-with-pod'), targetOf('uid-done')]
  expect(names(runningMigrations({ migrations, pods }))).toEqual([
    'with-pod',
    'Scheduling',
    'Scheduled',
    'PreparingTarget',
    'TargetReady',
    'Running',
  ])
})

describe('a slot is free', () => {
  const migrations = [
    migration('a', { phase: 'Running', vmiName: 'vm-1' }),
    migration('b', { phase: 'Running', vmiName: 'vm-2' }),
  ]
  // vm-2 is on node-2 already, but it left node-1 and counts there until its migration ends.
  const vmis = [
    vmi({ name: 'vm-1' }),
    vmi({ name: 'vm-2', status: { nodeName: 'node-2', migrationState: { sourceNode: 'node-1' } } }),
  ]
  const view = { migrations, vmis, pods: [] }

  test('unless the cluster’s limit is reached', () => {
    expect(capacityFor({ ...view, kubevirt: kubevirt(2, 10) }, 'node-3')).toEqual({
      admit: false,
      limit: 'cluster',
      used: 2,
      of: 2,
      by: migrations,
    })
  })

  test('before 1.6 a VM counts where it is, and no more where it was', () => {
    const old = { ...kubevirt(10, 2), status: { observedKubeVirtVersion: 'v1.5.2' } }
    const counted = (cluster: KubeVirt) => capacityFor({ ...view, kubevirt: cluster }, 'node-1')
    expect(counted(old)).toMatchObject({ admit: true, node: { used: 1, of: 2 } })
    expect(counted(kubevirt(10, 2))).toMatchObject({ admit: false, used: 2, of: 2 })
  })

  test('unless the node’s outbound limit is reached', () => {
    expect(capacityFor({ ...view, kubevirt: undefined }, 'node-1')).toEqual({
      admit: false,
      limit: 'node',
      used: 2,
      of: 2,
      by: migrations,
      node: 'node-1',
    })
  })

  test('and then it is said how full it is', () => {
    expect(capacityFor({ ...view, kubevirt: undefined }, 'node-3')).toEqual({
      admit: true,
      cluster: { used: 2, of: 5, by: migrations },
      node: { used: 0, of: 2, by: [] },
    })
  })
})

test('who waits beside it: those above, and those that compete', () => {
  const me = migration('me', { phase: 'Pending' })
  const migrations = [
    me,
    migration('equal', { phase: 'Pending' }),
    migration('fresh'),
    migration('evacuation', { phase: 'Pending', priority: 'system-critical' }),
    migration('hotplug', { phase: 'Pending', priority: 'user-triggered' }),
    migration('moving', { phase: 'Pending' }),
    migration('running', { phase: 'Running' }),
  ]
  const standing = standingOf(me, migrations, [targetOf('uid-moving')])
  expect(names(standing.above)).toEqual(['evacuation', 'hotplug'])
  expect(names(standing.competing)).toEqual(['equal', 'fresh'])
  const above = standingOf(migrations[3]!, migrations, [])
  expect(above).toEqual({ priority: 100, above: [], competing: [] })
  expect(names(wokenBy(migrations[6]!, migrations, 3))).toEqual(['evacuation', 'hotplug', 'me'])
})

test('the higher the priority, the more often it asks', () => {
  expect([100, 50, 20, 0].map(pollInterval)).toEqual([1000, 3000, 5000, 5000])
})
