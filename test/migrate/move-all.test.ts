import { expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { patch } from '../../src/cluster/objects.ts'
import { EXIT, MigError } from '../../src/errors.ts'
import { isFinal } from '../../src/kubevirt/migration.ts'
import { KUBEVIRTS, MIGRATIONS, NODES, pathOf } from '../../src/kubevirt/resources.ts'
import type { Migration } from '../../src/kubevirt/types.ts'
import type { Moving } from '../../src/migrate/move.ts'
import { moveAll } from '../../src/migrate/move-all.ts'
import { selectVms } from '../../src/migrate/select.ts'
import { resolveTarget, type TargetWish } from '../../src/migrate/target.ts'
import { type Stage, startStage, until } from './stage.ts'

const SELECTOR = 'tier=web'
const NEVER = new AbortController().signal

async function moveSelected(stage: Stage, { signal = NEVER, resume = false } = {}) {
  const told: Moving[] = []
  const references = await selectVms(stage.admin, SELECTOR, { namespace: 'demo' })
  const moved = moveAll(stage.admin, references, {
    namespace: 'demo',
    clock: systemClock,
    signal,
    wait: true,
    maxParallel: 3,
    selection: { selector: SELECTOR, resume },
    onStep: (step) => told.push(step),
  })
  return { told, moved }
}

async function migrations(stage: Stage): Promise<Migration[]> {
  const path = pathOf(MIGRATIONS, { namespace: 'demo' })
  return (await stage.admin.request<{ items: Migration[] }>({ path })).items
}

const inFlight = async (stage: Stage) => (await migrations(stage)).filter((one) => !isFinal(one))

/** Plays the controller for so many, and looks that there never are more than three. */
async function endSome(stage: Stage, number: number): Promise<void> {
  for (let ended = 0; ended < number; ended++) {
    const active = await until(async () => {
      const now = await inFlight(stage)
      return now.length === 0 ? undefined : now
    })
    expect(active.length).toBeLessThanOrEqual(3)
    await stage.advance(active[0]!, 'Succeeded')
  }
}

async function addTen(stage: Stage): Promise<string[]> {
  const names = Array.from({ length: 10 }, (_, i) => `vm-${i + 1}`)
  for (const name of names) await stage.addVm(name, { labels: { tier: 'web' } })
  await stage.addVm('vm-other')
  return names
}

test('ten VMs of a label move three at a time; interrupted and resumed, each has moved once', async () => {
  const stage = await startStage()
  const names = await addTen(stage)
  const stop = new AbortController()
  const first = await moveSelected(stage, { signal: stop.signal })
  await endSome(stage, 4)
  await until(async () => ((await inFlight(stage)).length === 3 ? true : undefined))
  stop.abort(new MigError(EXIT.interrupted, 'interrupted'))
  const interrupted = await first.moved
  expect(interrupted.map(({ vm }) => vm)).toEqual(names)
  expect(interrupted.filter(({ error }) => error?.exit === EXIT.interrupted)).toHaveLength(6)
  expect(await migrations(stage)).toHaveLength(7)

  const second = await moveSelected(stage, { resume: true })
  await endSome(stage, 6)
  const resumed = await second.moved
  expect(resumed.map(({ report }) => report.outcome)).toEqual(names.map(() => 'succeeded'))
  const count = (type: string) => second.told.filter(({ step }) => step.type === type).length
  expect(count('moved-before')).toBe(4)
  expect(count('joined')).toBe(3)
  expect(count('created')).toBe(3)
  expect((await migrations(stage)).map(({ spec }) => spec.vmiName).sort()).toEqual(names.sort())
}, 30_000)

test('without resuming, what is in flight is followed and all others move anew', async () => {
  const stage = await startStage()
  await stage.addVm('vm-1', { labels: { tier: 'web' } })
  await (async () => {
    const { moved } = await moveSelected(stage)
    await endSome(stage, 1)
    await moved
  })()
  const { told, moved } = await moveSelected(stage)
  await endSome(stage, 1)
  await moved
  expect(told.map(({ step }) => step.type)).toContain('created')
  expect(await migrations(stage)).toHaveLength(2)
})

test('a label selects running VMs only, by number; one that selects none is refused', async () => {
  const stage = await startStage()
  for (const name of ['vm-10', 'vm-2']) await stage.addVm(name, { labels: { tier: 'web' } })
  await stage.addVm('vm-3', { labels: { tier: 'web' }, phase: 'Succeeded' })
  const lookup = { namespace: 'demo' }
  const found = await selectVms(stage.admin, SELECTOR, lookup)
  expect(found.map(({ name }) => name)).toEqual(['vm-2', 'vm-10'])
  await expect(selectVms(stage.admin, 'tier=none', lookup)).rejects.toMatchObject({
    exit: EXIT.notFound,
    message: '-l tier=none selects no running VM in namespace "demo"',
  })
  await expect(selectVms(stage.admin, 'a in b', lookup)).rejects.toMatchObject({
    exit: EXIT.usage,
    message: expect.stringMatching(/^-l "a in b" is no label selector: found 'b',? expected/),
  })
})

async function labelNode(stage: Stage, name: string, labels: Record<string, string>) {
  await patch(stage.admin, NODES, { name }, { metadata: { labels } }, 'merge')
}

async function moveTo(stage: Stage, wish: Partial<TargetWish>) {
  const whole = { nodeSelector: {}, toNode: undefined, ...wish }
  const target = await resolveTarget(stage.admin, whole, NEVER)
  const [result] = await moveAll(stage.admin, [{ kind: 'vm', name: 'vm-1', text: 'vm-1' }], {
    namespace: 'demo',
    clock: systemClock,
    signal: NEVER,
    wait: false,
    target,
    onStep() {},
  })
  return result
}

test('a named node is chosen by its hostname label, beside a selector', async () => {
  const stage = await startStage()
  await stage.addVm('vm-1')
  await labelNode(stage, 'node-2', { 'kubernetes.io/hostname': 'two', zone: 'a' })
  const moved = await moveTo(stage, { toNode: 'node-2', nodeSelector: { zone: 'a' } })
  expect(moved?.error).toBeUndefined()
  const [migration] = await migrations(stage)
  expect(migration?.spec.addedNodeSelector).toEqual({
    'kubernetes.io/hostname': 'two',
    zone: 'a',
  })
})

test('a node that cannot be the target is refused before anything is created', async () => {
  const stage = await startStage()
  await stage.addVm('vm-1')
  for (const name of ['node-1', 'node-2'])
    await labelNode(stage, name, { 'kubernetes.io/hostname': name })
  const refusal = (wish: Partial<TargetWish>) =>
    moveTo(stage, wish).then(
      (moved) => moved?.error,
      (err: MigError) => err,
    )
  expect(await refusal({ toNode: 'node-1' })).toMatchObject({
    exit: EXIT.notFound,
    message: '"vm-1" cannot be migrated: it runs on node "node-1" already',
  })
  expect(await refusal({ toNode: 'nope' })).toMatchObject({
    exit: EXIT.notFound,
    message: 'no node "nope"',
  })
  expect(await refusal({ toNode: 'node-3' })).toMatchObject({
    exit: EXIT.notFound,
    message: 'node "node-3" has no label kubernetes.io/hostname',
  })
  await stage.patchVmi('vm-1', { spec: { nodeSelector: { zone: 'a' } } })
  expect(await refusal({ nodeSelector: { zone: 'b' } })).toMatchObject({
    exit: EXIT.notFound,
    message: '"vm-1" cannot be migrated: its own node selector has zone=a, not b',
  })
  expect(await refusal({ toNode: 'node-2' })).toMatchObject({
    message:
      '"vm-1" cannot be migrated: node "node-2" is without zone=a, which its own node selector asks for',
  })
  const status = { observedKubeVirtVersion: 'v1.5.2' }
  const at = { namespace: 'kubevirt', name: 'kubevirt' }
  await patch(stage.admin, KUBEVIRTS, at, { status }, 'merge')
  await patch(stage.admin, KUBEVIRTS, { ...at, subresource: 'status' }, { status }, 'merge')
  expect(await refusal({ toNode: 'node-2' })).toMatchObject({
    exit: EXIT.notFound,
    message: '--to-node needs KubeVirt 1.6, and this cluster runs 1.5',
  })
  expect(await migrations(stage)).toEqual([])
})
