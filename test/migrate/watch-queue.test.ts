import { expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { ApiError } from '../../src/cluster/api-error.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { patch } from '../../src/cluster/objects.ts'
import { EXIT, MigError } from '../../src/errors.ts'
import { KUBEVIRTS } from '../../src/kubevirt/resources.ts'
import { migrationObject, startMigration } from '../../src/migrate/start.ts'
import { type QueueChange, watchQueue } from '../../src/migrate/watch-queue.ts'
import { breakable } from './breakable.ts'
import { startStage, until } from './stage.ts'

test('the queue is told as it is, then what gets a slot, waits and ends', async () => {
  const stage = await startStage()
  await limitTo(stage.admin, 1)
  for (const name of ['vm-1', 'vm-2']) await stage.addVm(name)
  const watching = watch(stage.admin)
  await until(() => watching.told.includes('read') || undefined)
  const first = await startMigration(stage.admin, migrationObject('demo', 'vm-1'))
  await stage.advance(first, 'Scheduling')
  await until(() => watching.told.includes('vm-1 running') || undefined)
  const second = await startMigration(stage.admin, migrationObject('demo', 'vm-2'))
  await until(() => watching.told.includes('vm-2 waiting') || undefined)
  expect(watching.last()?.waiting[0]).toMatchObject({ vm: 'vm-2', limit: 'cluster' })
  await stage.advance(first, 'Succeeded')
  await until(() => watching.told.includes('vm-1 left') || undefined)
  await stage.advance(second, 'Scheduling')
  await until(() => watching.told.includes('vm-2 running') || undefined)
  expect(watching.last()).toMatchObject({ running: [{ vm: 'vm-2' }], waiting: [] })
  await watching.end()
})

test('what changes only a limit is told too, without a step', async () => {
  const stage = await startStage()
  await stage.addVm('vm-1')
  const { sleep } = systemClock
  const hasty = { ...systemClock, sleep: (_: number, signal?: AbortSignal) => sleep(20, signal) }
  const watching = watch(stage.admin, hasty)
  await until(() => watching.told.includes('read') || undefined)
  await limitTo(stage.admin, 3)
  await until(() => (watching.last()?.limits[0]?.of === 3 ? true : undefined))
  expect(watching.told).toEqual(['read', 'read'])
  await watching.end()
})

test('a lost connection is told once, and what was missed when it is back', async () => {
  const stage = await startStage()
  await stage.addVm('vm-1')
  const network = breakable(stage.admin)
  const watching = watch(network.cluster)
  await until(() => watching.told.includes('read') || undefined)
  // A watch that has begun is brought back, whatever happens.
  const before = await startMigration(stage.admin, migrationObject('demo', 'vm-1'))
  await until(() => watching.told.includes('vm-1 waiting') || undefined)
  network.cut()
  await until(() => watching.told.includes('lost') || undefined)
  await stage.advance(before, 'Scheduling')
  network.mend()
  await until(() => watching.told.includes('vm-1 running') || undefined)
  expect(watching.told.filter((one) => one === 'regained')).toHaveLength(1)
  await watching.end()
})

test('a refused watch ends it with what was refused', async () => {
  const stage = await startStage()
  const refusal = new ApiError(EXIT.refused, 'cannot watch', { status: 403 })
  const cluster: Cluster = { ...stage.admin, stream: () => Promise.reject(refusal) }
  const watching = watch(cluster)
  await expect(watching.done).rejects.toBe(refusal)
  expect(watching.told).toEqual(['read'])
})

function watch(cluster: Cluster, clock = systemClock) {
  const interrupt = new AbortController()
  const told: string[] = []
  let last: Extract<QueueChange, { type: 'read' }> | undefined
  const take = (change: QueueChange) => {
    if (change.type !== 'read') return void told.push(change.type)
    last = change
    if (change.steps.length === 0) told.push('read')
    for (const { type, entry } of change.steps) told.push(`${entry.vm} ${type}`)
  }
  const done = (async () => {
    const look = { clock, signal: interrupt.signal }
    for await (const change of watchQueue(cluster, { namespace: 'demo' }, look)) take(change)
  })()
  done.catch(() => undefined)
  return {
    told,
    done,
    last: () => last?.queue,
    async end() {
      const reason = new MigError(EXIT.interrupted, '')
      interrupt.abort(reason)
      await expect(done).rejects.toBe(reason)
    },
  }
}

async function limitTo(cluster: Cluster, parallelMigrationsPerCluster: number): Promise<void> {
  const body = { spec: { configuration: { migrations: { parallelMigrationsPerCluster } } } }
  await patch(cluster, KUBEVIRTS, { namespace: 'kubevirt', name: 'kubevirt' }, body, 'merge')
}
