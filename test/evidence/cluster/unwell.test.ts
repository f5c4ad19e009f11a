import { describe, expect, test } from 'vitest'
import type { Cluster } from '../../../src/cluster/cluster.ts'
import { create } from '../../../src/cluster/objects.ts'
import { diagnoseInFlight, diagnoseUnwell, type UnwellOptions } from '../../../src/diagnose/live.ts'
import { exitCodeOf } from '../../../src/diagnose/outcome.ts'
import { gatherUnwell } from '../../../src/evidence/cluster/unwell.ts'
import { MIGRATIONS } from '../../../src/kubevirt/resources.ts'
import type { Migration } from '../../../src/kubevirt/types.ts'
import { type Stage, startStage, until } from '../../migrate/stage.ts'
import { recorded } from './recorded.ts'

const { signal } = new AbortController()
const diagnose = (cluster: Cluster, scope: Partial<UnwellOptions> = {}) =>
  diagnoseUnwell(cluster, { namespace: 'demo', now: Date.now(), signal, ...scope })

const proxies = (cluster: Cluster) =>
  diagnoseInFlight(cluster, { namespace: 'demo', now: Date.now(), signal, look: async () => {} })
/** The age of objects is told in whole seconds. */
function nextSecond(): Promise<boolean> {
  const second = Math.floor(Date.now() / 1000)
  return until(async () => Math.floor(Date.now() / 1000) > second || undefined)
}
const EVACUATION = { 'kubevirt.io/evacuationMigration': 'node-1' }

function migrate(
  { admin }: Stage,
  vm: string,
  name: string,
  annotations: Record<string, string> = {},
): Promise<Migration> {
  const migration = {
    apiVersion: 'kubevirt.io/v1',
    kind: MIGRATIONS.kind,
    metadata: { name, namespace: 'demo', annotations },
    spec: { vmiName: vm },
  }
  return create<Migration>(admin, MIGRATIONS, migration, { namespace: 'demo' })
}

/** One VM that failed last, one that failed and then moved, one that copies, one that rests, one that is asked to move. */
async function livedIn(): Promise<Stage> {
  const stage = await startStage()
  for (const vm of ['failed', 'mended', 'copies', 'rests']) await stage.addVm(vm)
  await stage.addVm('asked', {
    node: 'node-2',
    conditions: [
      { type: 'LiveMigratable', status: 'True' },
      { type: 'MigrationRequired', status: 'True' },
    ],
  })
  await stage.advance(await migrate(stage, 'failed', 'a-1'), 'Failed')
  await stage.advance(await migrate(stage, 'mended', 'b-1'), 'Failed')
  await stage.advance(await migrate(stage, 'mended', 'b-2'), 'Succeeded')
  await stage.advance(await migrate(stage, 'copies', 'c-1'), 'Running')
  return stage
}

describe('what is not well', () => {
  test('the newest failed, and who waits to be moved; not who moved since, copies or rests', async () => {
    const { admin } = await livedIn()
    // One moment for both: ages are in the reports.
    const now = Date.now()
    const report = await diagnose(admin, { now })
    expect(report.subjects.map(({ ref }) => ref).sort()).toEqual([
      'vmi/demo/asked',
      'vmim/demo/a-1',
    ])
    expect(exitCodeOf(report, { failOn: 'fail' })).toBe(3)
    const everywhere = await diagnose(admin, { namespace: undefined, now })
    expect(everywhere.subjects).toEqual(report.subjects)
  })

  test('a copy that lasts longer than is usual', async () => {
    const { admin } = await livedIn()
    const { subjects } = await diagnose(admin, { now: Date.now() + 160_000 })
    expect(subjects.map(({ ref }) => ref)).toContain('vmim/demo/c-1')
  })

  test('only what leaves a node or comes to it', async () => {
    const { admin } = await livedIn()
    const { subjects } = await diagnose(admin, { namespace: undefined, node: 'node-2' })
    expect(subjects.map(({ ref }) => ref)).toEqual(['vmi/demo/asked'])
    await expect(diagnose(admin, { namespace: undefined, node: 'node-9' })).rejects.toMatchObject({
      exit: 9,
    })
  })

  test('nothing: that is said, with exit 0', async () => {
    const stage = await startStage()
    await stage.addVm('rests')
    const report = await diagnose(stage.admin)
    expect(report.verdict).toMatchObject({
      code: 'MIG0010',
      title: 'Nothing is wrong with the migrations of namespace demo',
    })
    expect(exitCodeOf(report, { failOn: 'warn' })).toBe(0)
  })

  test('an evacuation that comes after failed ones, however young; named as often as they failed', async () => {
    const stage = await startStage()
    await stage.addVm('drained')
    for (const name of ['e-1', 'e-2'])
      await stage.advance(await migrate(stage, 'drained', name, EVACUATION), 'Failed')
    await nextSecond()
    await stage.advance(await migrate(stage, 'drained', 'e-3', EVACUATION), 'Pending')
    // Of another VM, and of no concern.
    await stage.addVm('other')
    await stage.advance(await migrate(stage, 'other', 'o-1', EVACUATION), 'Succeeded')
    const reports = [
      await diagnose(stage.admin),
      await diagnose(stage.admin, { namespace: undefined }),
      await proxies(stage.admin),
    ]
    for (const report of reports) {
      expect(report.subjects.map(({ ref }) => ref)).toEqual(['vmim/demo/e-3'])
      expect(report.verdict).toMatchObject({
        code: 'MIG2003',
        title: expect.stringMatching(/: 2 failed evacuation migrations of drained/),
      })
      expect(exitCodeOf(report, { failOn: 'fail' })).toBe(3)
    }
  })

  test('a success between them ends the count', async () => {
    const stage = await startStage()
    await stage.addVm('drained')
    await stage.advance(await migrate(stage, 'drained', 'e-1', EVACUATION), 'Failed')
    await nextSecond()
    await stage.advance(await migrate(stage, 'drained', 'e-2', EVACUATION), 'Succeeded')
    await nextSecond()
    await stage.advance(await migrate(stage, 'drained', 'e-3', EVACUATION), 'Pending')
    const { verdict } = await diagnose(stage.admin)
    expect(verdict.code).toBe('MIG0011')
  })

  test('what has only begun is counted, and no certain pass', async () => {
    const stage = await startStage()
    await stage.addVm('begins')
    await stage.advance(await migrate(stage, 'begins', 'm-1'), 'Pending')
    const report = await diagnose(stage.admin)
    expect(report.verdict).toMatchObject({
      code: 'MIG0011',
      title: expect.stringMatching(/: 1 migration in flight, none for longer than is usual$/),
      confidence: 'possible',
    })
    expect(exitCodeOf(report, { failOn: 'warn' })).toBe(0)
  })

  test('of proxies, when nothing is in flight: which failed last, and how to see why', async () => {
    const stage = await startStage()
    expect((await proxies(stage.admin)).verdict).toMatchObject({
      code: 'MIG0012',
      title: 'No migration is in flight',
    })
    await stage.addVm('failed')
    await stage.advance(await migrate(stage, 'failed', 'a-1'), 'Failed')
    const report = await proxies(stage.admin)
    expect(report.verdict).toMatchObject({
      title: expect.stringMatching(/in flight; the last, a-1 of failed, Failed \S+ ago$/),
      next: [{ command: 'kubectl mig diagnose proxy -n demo vmim/a-1' }],
    })
    expect(exitCodeOf(report, { failOn: 'warn' })).not.toBe(0)
  })

  test('who may not look gets no pass, and exit 8', async () => {
    const stage = await livedIn()
    const report = await diagnose(await stage.as('viewer'), { namespace: undefined })
    expect(report.verdict.code).toBe('MIG0008')
    expect(exitCodeOf(report, { failOn: 'fail' })).toBe(8)
  })
})

test('of a history, and of VMs that rest, nothing is kept; Secrets are never asked for', async () => {
  const stage = await livedIn()
  const { cluster, requests } = recorded(stage.admin)
  const { objects } = await gatherUnwell(cluster, { namespace: undefined, signal })
  const names = (kind: string) => objects.list(kind).map(({ metadata }) => metadata.name)
  expect(names(MIGRATIONS.kind).sort()).toEqual(['a-1', 'c-1'])
  expect(names('VirtualMachineInstance').sort()).toEqual(['asked', 'copies', 'failed'])
  expect(requests.filter(({ path }) => /secrets/.test(path))).toEqual([])
})
