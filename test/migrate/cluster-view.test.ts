import { expect, test } from 'vitest'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { readClusterView } from '../../src/migrate/cluster-view.ts'
import { migrationObject, startMigration } from '../../src/migrate/start.ts'
import { capacityFor } from '../../src/rules/capacity.ts'
import { type Stage, startStage } from './stage.ts'

const start = (stage: Stage, vm: string) => startMigration(stage.admin, migrationObject('demo', vm))

test('what the limits count is read: unfinished migrations with their VMs and target pods', async () => {
  const stage = await startStage()
  for (const vm of ['vm-1', 'vm-2', 'vm-3']) await stage.addVm(vm)
  await stage.advance(await start(stage, 'vm-1'), 'Running')
  await stage.advance(await start(stage, 'vm-2'), 'Succeeded')
  await stage.advance(await start(stage, 'vm-3'), 'Pending')
  const view = await readClusterView(stage.admin)
  expect(view.migrations.map(({ spec }) => spec.vmiName).sort()).toEqual(['vm-1', 'vm-3'])
  expect(view.vmis.map(({ metadata }) => metadata.name).sort()).toEqual(['vm-1', 'vm-3'])
  expect(view.pods).toEqual([])
  expect(capacityFor(view, 'node-1')).toMatchObject({
    admit: true,
    cluster: { used: 1, of: 5 },
    node: { used: 1, of: 2 },
  })
})

test('one that ends while the view is read never counts beside the one that takes its slot', async () => {
  const stage = await startStage()
  for (const vm of ['vm-1', 'vm-2']) await stage.addVm(vm)
  const first = await start(stage, 'vm-1')
  await stage.advance(first, 'Running')
  const second = await start(stage, 'vm-2')
  await stage.advance(second, 'Pending')
  const between = intercepted(stage.admin, async (path) => {
    if (!path.endsWith('/pods')) return
    await stage.advance(first, 'Succeeded')
    await stage.advance(second, 'Scheduling')
  })
  const view = await readClusterView(between)
  expect(capacityFor(view, undefined)).toMatchObject({ admit: true, cluster: { used: 1 } })
})

function intercepted(cluster: Cluster, before: (path: string) => Promise<void>): Cluster {
  return {
    ...cluster,
    request: async (request) => {
      await before(request.path)
      return cluster.request(request)
    },
  }
}
