import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { create, patch } from '../../src/cluster/objects.ts'
import { parseReference } from '../../src/kubevirt/reference.ts'
import { KUBEVIRTS, MIGRATIONS, NAMESPACES } from '../../src/kubevirt/resources.ts'
import type { Migration } from '../../src/kubevirt/types.ts'
import { findSubject } from '../../src/migrate/find.ts'
import { migrationObject, startMigration } from '../../src/migrate/start.ts'
import { readStatus, statusDocument, watchStatus } from '../../src/migrate/status.ts'
import type { ListChange } from '../../src/migrate/watch-list.ts'
import { type Stage, startStage, until } from './stage.ts'

const look = () => ({ clock: systemClock, signal: new AbortController().signal })
const ALL = { reference: undefined, namespace: 'demo' }
const one = (text: string) => ({
  reference: parseReference(text, ['vm', 'vmi', 'vmim']),
  namespace: 'demo',
})
const start = (stage: Stage, vm: string) => startMigration(stage.admin, migrationObject('demo', vm))

describe('a reference finds', () => {
  test('a VM’s migration in flight before those that ended', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const first = await start(stage, 'vm-1')
    await stage.advance(first, 'Succeeded')
    const second = await start(stage, 'vm-1')
    const found = await findSubject(stage.admin, parseReference('vm-1', []), { namespace: 'demo' })
    expect(found.migration?.metadata.name).toBe(second.metadata.name)
    expect(found.vmi?.metadata.name).toBe('vm-1')
  })

  test('a migration by a bare name, where no VM has it', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const { name } = (await start(stage, 'vm-1')).metadata
    const found = await findSubject(stage.admin, parseReference(name, []), { namespace: 'demo' })
    expect(found).toMatchObject({ name: 'vm-1', migration: { metadata: { name } } })
  })

  test('a VM before a migration of the same name', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await stage.addVm('vm-2')
    const object = { ...migrationObject('demo', 'vm-2'), metadata: { name: 'vm-1' } }
    await create(stage.admin, MIGRATIONS, object, { namespace: 'demo' })
    const lookup = { namespace: 'demo' }
    expect((await findSubject(stage.admin, parseReference('vm-1', []), lookup)).name).toBe('vm-1')
    const named = parseReference('vmim/vm-1', ['vmim'])
    expect((await findSubject(stage.admin, named, lookup)).name).toBe('vm-2')
  })
})

describe('the status of one', () => {
  test('has its timeline, its warnings and why its pod waits', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const migration = await start(stage, 'vm-1')
    await stage.advance(migration, 'TargetReady')
    const message = 'syncing migration target failed: no route'
    const vmi = await findSubject(stage.admin, parseReference('vm-1', []), { namespace: 'demo' })
    await stage.event(vmi.vmi!, { type: 'Warning', reason: 'SyncFailed', message })
    const status = await readStatus(stage.admin, one('vm-1'), look())
    expect(statusDocument(status, Date.now())).toMatchObject({
      kind: 'MigrationReport',
      phase: 'TargetReady',
      targetNode: 'node-3',
      warnings: [{ object: 'VirtualMachineInstance/vm-1', reason: 'SyncFailed', message }],
      gaps: [],
    })
  })

  test('that waits names the limit that holds it', async () => {
    const stage = await startStage()
    for (const vm of ['vm-1', 'vm-2']) await stage.addVm(vm)
    await limit(stage, 1)
    await stage.advance(await start(stage, 'vm-1'), 'Running')
    await stage.advance(await start(stage, 'vm-2'), 'Pending')
    const { migrations } = await readStatus(stage.admin, one('vm-2'), look())
    expect(migrations[0]?.waiting).toMatchObject({ limit: 'cluster', used: 1, of: 1 })
  })

  test('of a VM without migration says where it runs', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const status = await readStatus(stage.admin, one('vm-1'), look())
    expect(statusDocument(status, Date.now())).toMatchObject({
      outcome: 'none',
      migration: null,
      sourceNode: 'node-1',
    })
  })
})

describe('the status of many', () => {
  test('has those in flight first, then those that ended within the hour', async () => {
    const stage = await startStage()
    for (const vm of ['vm-1', 'vm-2', 'vm-3']) await stage.addVm(vm)
    await stage.advance(await start(stage, 'vm-1'), 'Succeeded')
    const old = await start(stage, 'vm-3')
    await stage.advance(old, 'Succeeded')
    await backdate(stage, old, 2)
    await stage.advance(await start(stage, 'vm-2'), 'Running')
    const names = async (all: boolean) =>
      (await readStatus(stage.admin, { ...ALL, all }, look())).migrations.map(
        ({ migration }) => migration.spec.vmiName,
      )
    expect(await names(false)).toEqual(['vm-2', 'vm-1'])
    expect((await names(true)).sort()).toEqual(['vm-1', 'vm-2', 'vm-3'])
  })

  test('is of one namespace, or of all', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await create(stage.admin, NAMESPACES, { metadata: { name: 'other' } })
    await start(stage, 'vm-1')
    const count = async (namespace: string | undefined) =>
      (await readStatus(stage.admin, { ...ALL, namespace }, look())).migrations.length
    expect([await count('other'), await count('demo'), await count(undefined)]).toEqual([0, 1, 1])
  })
})

describe('watching', () => {
  test('one goes to its end', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const migration = await start(stage, 'vm-1')
    const types: string[] = []
    const watching = collect(stage.admin, one('vm-1'), ({ step }) => types.push(step.type))
    await until(() => types.includes('listed') || undefined)
    await stage.advance(migration, 'Succeeded')
    await watching
    expect(types.at(0)).toBe('listed')
    expect(types.at(-1)).toBe('end')
  })

  test('many sees new ones, follows those that hold a slot, and keeps the vanished a while', async () => {
    const stage = await startStage()
    for (const vm of ['vm-1', 'vm-2']) await stage.addVm(vm)
    const first = await start(stage, 'vm-1')
    await stage.advance(first, 'Scheduling')
    const controller = new AbortController()
    let shown: ReturnType<ListChange['migrations']> = []
    const steps: string[] = []
    const watching = collect(
      stage.admin,
      ALL,
      ({ step, observed, migrations }) => {
        shown = migrations()
        steps.push(`${observed?.migration.spec.vmiName ?? 'all'} ${step.type}`)
      },
      controller.signal,
    ).catch((err) => err)
    await until(() => steps.includes('all listed') || undefined)
    const second = await start(stage, 'vm-2')
    await until(() => steps.includes('vm-2 created') || undefined)
    await stage.cancel(second)
    await stage.advance(second, 'Failed')
    await until(() => shown.find(({ gone }) => gone))
    await stage.advance(first, 'Succeeded')
    await until(() => steps.includes('vm-1 end') || undefined)
    controller.abort(new Error('enough'))
    expect(await watching).toEqual(new Error('enough'))
    // Only what holds a slot is followed closely enough to know its pod.
    const pods = shown.map(({ migration, targetPod }) => [migration.spec.vmiName, !!targetPod])
    expect(Object.fromEntries(pods)).toEqual({ 'vm-1': true, 'vm-2': false })
  })

  test('one that has no migration yet waits for it', async () => {
    const stage = await startStage()
    for (const vm of ['vm-1', 'vm-2']) await stage.addVm(vm)
    const steps: string[] = []
    const options = { ...ALL, namespace: 'demo', reference: parseReference('vm-1', ['vm']) }
    const watching = collect(stage.admin, options, ({ step }) => void steps.push(step.type))
    await until(() => steps.includes('listed') || undefined)
    await start(stage, 'vm-2')
    const migration = await start(stage, 'vm-1')
    await until(() => steps.includes('created') || undefined)
    await stage.advance(migration, 'Succeeded')
    await watching
    expect(steps.slice(0, 2)).toEqual(['listed', 'created'])
    expect(steps.at(-1)).toBe('end')
  })

  test('many says which limit holds those that wait', async () => {
    const stage = await startStage()
    for (const vm of ['vm-1', 'vm-2']) await stage.addVm(vm)
    await limit(stage, 1)
    await stage.advance(await start(stage, 'vm-1'), 'Running')
    await stage.advance(await start(stage, 'vm-2'), 'Pending')
    const controller = new AbortController()
    const held: unknown[] = []
    const watching = collect(
      stage.admin,
      ALL,
      ({ step }) => step.type === 'waiting' && held.push(step.waiting),
      controller.signal,
    ).catch(() => undefined)
    await until(() => held[0])
    controller.abort()
    await watching
    expect(held[0]).toMatchObject({ admit: false, limit: 'cluster', used: 1, of: 1 })
  })
})

async function collect(
  cluster: Cluster,
  options: Parameters<typeof watchStatus>[1],
  on: (change: ListChange) => void,
  signal = new AbortController().signal,
): Promise<void> {
  for await (const change of watchStatus(cluster, options, { clock: systemClock, signal }))
    on(change)
}

async function limit(stage: Stage, parallelMigrationsPerCluster: number): Promise<void> {
  const at = { namespace: 'kubevirt', name: 'kubevirt' }
  const body = { spec: { configuration: { migrations: { parallelMigrationsPerCluster } } } }
  await patch(stage.admin, KUBEVIRTS, at, body, 'merge')
}

/** As if it had ended hours ago. */
async function backdate(stage: Stage, { metadata }: Migration, hours: number): Promise<void> {
  const ended = new Date(Date.now() - hours * 3_600_000).toISOString().replace(/\.\d+Z/, 'Z')
  const phaseTransitionTimestamps = [{ phase: 'Succeeded', phaseTransitionTimestamp: ended }]
  const controller = await stage.as('system:serviceaccount:kubevirt:kubevirt-controller')
  const at = { namespace: 'demo', name: metadata.name, subresource: 'status' }
  await patch(controller, MIGRATIONS, at, { status: { phaseTransitionTimestamps } }, 'merge')
}
