import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { get, patch } from '../../src/cluster/objects.ts'
import { EXIT } from '../../src/errors.ts'
import { KUBEVIRTS, NODES, VMIS } from '../../src/kubevirt/resources.ts'
import type { Vmi } from '../../src/kubevirt/types.ts'
import { type CancelOptions, cancelAll } from '../../src/migrate/cancel.ts'
import { migrationObject, startMigration } from '../../src/migrate/start.ts'
import { warningsOf } from '../../src/migrate/steps.ts'
import { cancelText } from '../../src/terminal/results.ts'
import { COPYING, event, known, migration, upTo, vmi } from './objects.ts'
import { type Stage, startStage } from './stage.ts'

async function cancel(cluster: Cluster, more: Partial<CancelOptions> = {}) {
  const told: { type: string }[] = []
  const [result] = await cancelAll(cluster, [{ kind: 'vm', name: 'vm-1', text: 'vm/vm-1' }], {
    namespace: 'demo',
    clock: systemClock,
    signal: new AbortController().signal,
    wait: true,
    onStep: ({ step }) => told.push(step),
    ...more,
  })
  return { told, result: result! }
}

const start = (stage: Stage) => startMigration(stage.admin, migrationObject('demo', 'vm-1'))

test('one that ends before anybody can look again was cancelled all the same', async () => {
  const stage = await startStage()
  await stage.addVm('vm-1')
  const moving = await start(stage)
  await stage.advance(moving, 'Running')
  const quick: Cluster = {
    ...stage.admin,
    async request(request) {
      const answer = await stage.admin.request(request)
      if (request.method === 'DELETE') await stage.advance(moving, 'Failed')
      return answer as never
    },
  }
  const { result } = await cancel(quick)
  expect(result).toMatchObject({ error: undefined, report: { outcome: 'cancelled' } })
})

describe('what a cancelled migration warns of', () => {
  const DELETED = { metadata: { name: 'vm-1-m', deletionTimestamp: '2026-11-29T12:00:20Z' } }
  const aborted =
    'VirtualMachineInstance migration uid uid-m failed. reason:Live migration has been aborted'
  const events = [
    event('FailedMigration', 'source node reported migration failed', { second: 21, name: 'a' }),
    event('Migrated', aborted, {
      on: 'VirtualMachineInstance',
      uid: 'uid-vmi',
      second: 21,
      name: 'b',
    }),
    event('FailedMigration', 'Migration failed due to being canceled', { second: 21, name: 'c' }),
    // Of an abort whose target pod has gone before its end was seen.
    event('FailedMigration', 'Migration failed because target pod shutdown during migration', {
      second: 21,
      name: 'd',
    }),
  ]
  const other = event('SyncFailed', 'failed to handle migration proxy', { name: 'e' })

  test('is not the end that was asked for', () => {
    const of = migration([...upTo('Running'), ['Failed', 21]], DELETED)
    const state = { ...COPYING, abortRequested: true, failed: true, completed: true }
    const warnings = warningsOf(known(of, { vmi: vmi(state), events: [...events, other] }))
    expect(warnings.map(({ reason }) => reason)).toEqual(['SyncFailed'])
  })

  test('is all of it where nobody asked for the end', () => {
    const of = migration([...upTo('Running'), ['Failed', 21]])
    expect(warningsOf(known(of, { vmi: vmi(COPYING), events }))).toHaveLength(4)
  })
})

describe('an eviction is undone', () => {
  const mark = (stage: Stage) =>
    stage.patchVmi('vm-1', { status: { evacuationNodeName: 'node-1' } })
  const markOf = async (stage: Stage) =>
    (await get<Vmi>(stage.admin, VMIS, { namespace: 'demo', name: 'vm-1' })).status
      ?.evacuationNodeName

  test('before the migration is cancelled, so that no new one is made', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await mark(stage)
    await start(stage)
    const { told, result } = await cancel(stage.admin, { undoEviction: true, wait: false })
    expect(told.map(({ type }) => type)).toEqual(['eviction-undone', 'asked'])
    expect(result).toMatchObject({ error: undefined, undone: 'node-1' })
    expect(await markOf(stage)).toBeUndefined()
  })

  test('where no migration is in flight, too', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await mark(stage)
    const { result } = await cancel(stage.admin, { undoEviction: true })
    expect(result.error).toBeUndefined()
    expect(await cancelText([result], {})).toBe(
      'vm-1: its eviction from node-1 is undone; no migration is in flight\n',
    )
  })

  test.each(['client', 'server'] as const)('not by a dry run (%s)', async (dryRun) => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await mark(stage)
    const { result } = await cancel(stage.admin, { undoEviction: true, dryRun })
    expect(result).toMatchObject({ error: undefined, undone: 'node-1' })
    expect(await markOf(stage)).toBe('node-1')
  })

  test('of a VM that is not being evicted changes nothing', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const { result } = await cancel(stage.admin, { undoEviction: true })
    expect(result.error).toMatchObject({ exit: EXIT.notFound })
  })

  test('not while a taint drains the node, nor before KubeVirt 1.7', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await mark(stage)
    const taints = [{ key: 'kubevirt.io/drain', effect: 'NoSchedule' }]
    await patch(stage.admin, NODES, { name: 'node-1' }, { spec: { taints } }, 'merge')
    const drained = await cancel(stage.admin, { undoEviction: true })
    expect(drained.result.error).toMatchObject({
      exit: EXIT.notFound,
      message: 'the eviction of "vm-1" cannot be undone: node "node-1" is being drained by a taint',
    })
    const at = { namespace: 'kubevirt', name: 'kubevirt' }
    const status = { observedKubeVirtVersion: 'v1.6.0' }
    await patch(stage.admin, KUBEVIRTS, at, { status }, 'merge')
    await patch(stage.admin, KUBEVIRTS, { ...at, subresource: 'status' }, { status }, 'merge')
    const old = await cancel(stage.admin, { undoEviction: true })
    expect(old.result.error).toMatchObject({
      exit: EXIT.notFound,
      message: '--undo-eviction needs KubeVirt 1.7, and this cluster runs 1.6',
    })
    expect(await markOf(stage)).toBe('node-1')
  })
})
