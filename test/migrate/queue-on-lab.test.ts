import { beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { list, patch } from '../../src/cluster/objects.ts'
import { LABEL } from '../../src/kubevirt/labels.ts'
import { isFinal, phaseOf } from '../../src/kubevirt/migration.ts'
import { KUBEVIRTS, MIGRATIONS, PODS, VMIS } from '../../src/kubevirt/resources.ts'
import type { Migration, Pod, Vmi } from '../../src/kubevirt/types.ts'
import { type QueueReport, readQueue } from '../../src/migrate/queue.ts'
import { migrationObject, startMigration } from '../../src/migrate/start.ts'
import { runningLab } from '../lab/running.ts'

const VMS = 30

const { admin } = await runningLab({
  name: 'queue',
  nodes: 6,
  vms: VMS,
  guest: 'synthetic',
  memory: '1Mi',
})
beforeAll(async () => {
  const body = { spec: { configuration: { migrations: { bandwidthPerMigration: '2Mi' } } } }
  await patch(admin, KUBEVIRTS, { namespace: 'kubevirt', name: 'kubevirt' }, body, 'merge')
})

const look = { clock: systemClock, signal: new AbortController().signal }

/** What the controller has decided: it let those go on that have their target pod, or are further. */
async function admitted(): Promise<string[]> {
  const { items: pods } = await list<Pod>(admin, PODS, { labelSelector: LABEL.migrationJobUid })
  const { items } = await list<Migration>(admin, MIGRATIONS, {})
  const withPod = new Set(pods.map(({ metadata }) => metadata.labels?.[LABEL.migrationJobUid]))
  return items
    .filter((one) => !isFinal(one))
    .filter((one) => !['', 'Pending'].includes(phaseOf(one)) || withPod.has(one.metadata.uid))
    .map(({ metadata }) => metadata.name)
    .sort()
}

/** A look between two equal decisions; undefined when the controller decided meanwhile. */
async function steadyLook(): Promise<QueueReport | undefined> {
  const before = await admitted()
  const queue = await readQueue(admin, { namespace: undefined }, look)
  const after = await admitted()
  if (JSON.stringify(before) !== JSON.stringify(after)) return undefined
  expect(queue.running.map(({ migration }) => migration).sort()).toEqual(before)
  return queue
}

test('while 30 compete for 5 slots, what is said of each is what the controller does', async () => {
  const { items: vmis } = await list<Vmi>(admin, VMIS, {})
  expect(vmis).toHaveLength(VMS)
  for (const { metadata } of vmis)
    await startMigration(admin, migrationObject(metadata.namespace ?? '', metadata.name))

  const looks: QueueReport[] = []
  const seen = { cluster: 0, node: 0 }
  for (;;) {
    const queue = await steadyLook()
    if (queue) {
      looks.push(queue)
      for (const { limit } of queue.waiting) if (limit) seen[limit]++
      if (queue.running.length + queue.waiting.length === 0) break
    } else if ((await unfinished()) === 0) break
  }
  for (const { limits, running, waiting } of looks) {
    expect(limits[0]).toMatchObject({ limit: 'cluster', used: running.length, of: 5 })
    for (const { used, of } of limits) expect(used).toBeLessThanOrEqual(of)
    for (const { above, competing } of waiting)
      expect([above, competing]).toEqual([0, waiting.length - 1])
    for (const { limit } of waiting) expect(limit === 'cluster').toBe(limits[0]!.used === 5)
  }
  // One that is held goes on only after one that held its limit has let go.
  for (const [i, later] of looks.slice(1).entries())
    expect(heldAndLetGo(looks[i]!, later)).toEqual([])
  expect(seen.cluster).toBeGreaterThan(VMS)
  const { items } = await list<Migration>(admin, MIGRATIONS, {})
  expect(items.map(phaseOf)).toEqual(items.map(() => 'Succeeded'))
}, 120_000)

/** Those that a limit was said to hold, and that went on though it was held by the same as before. */
function heldAndLetGo(before: QueueReport, after: QueueReport): string[] {
  const now = new Set(after.running.map(({ migration }) => migration))
  return before.waiting
    .filter(({ migration, limit }) => limit && now.has(migration))
    .filter(({ limit, sourceNode }) => {
      const held = before.limits.find((one) =>
        limit === 'node' ? one.node === sourceNode : one.limit === 'cluster',
      )
      return held!.by.every(({ migration }) => now.has(migration))
    })
    .map(({ migration }) => migration)
}

async function unfinished(): Promise<number> {
  const { items } = await list<Migration>(admin, MIGRATIONS, {})
  return items.filter((one) => !isFinal(one)).length
}
