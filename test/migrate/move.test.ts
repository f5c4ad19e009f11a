import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { ApiError } from '../../src/cluster/api-error.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { EXIT, MigError } from '../../src/errors.ts'
import { parseReference } from '../../src/kubevirt/reference.ts'
import { MIGRATIONS, pathOf } from '../../src/kubevirt/resources.ts'
import type { Migration } from '../../src/kubevirt/types.ts'
import { cancelAll } from '../../src/migrate/cancel.ts'
import type { Moving } from '../../src/migrate/move.ts'
import { moveAll } from '../../src/migrate/move-all.ts'
import { type Stage, startStage, until } from './stage.ts'

interface Play {
  cluster?: Cluster
  wait?: boolean
  dryRun?: 'client' | 'server'
  signal?: AbortSignal
}

/** Starts moves and keeps what is told. */
function move(stage: Stage, names: string[], { cluster = stage.admin, ...play }: Play = {}) {
  const told: Moving[] = []
  const moved = moveAll(
    cluster,
    names.map((name) => parseReference(name, ['vm', 'vmi'])),
    {
      namespace: 'demo',
      clock: systemClock,
      signal: new AbortController().signal,
      wait: true,
      ...play,
      onStep: (step) => told.push(step),
    },
  )
  return { told, moved }
}

const migrationsOf = async (stage: Stage) =>
  (
    await stage.admin.request<{ items: Migration[] }>({
      path: pathOf(MIGRATIONS, { namespace: 'demo' }),
    })
  ).items

const typesOf = (told: Moving[]) => told.map(({ step }) => step.type)
const phasesOf = (told: Moving[]) =>
  told.flatMap(({ step }) => (step.type === 'phase' ? [step.phase] : []))

describe('a move', () => {
  test('is told from the forecast over each phase to the end', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const { told, moved } = move(stage, ['vm-1'])
    await stage.advance(await stage.theMigrationOf('vm-1'), 'Succeeded')
    const [result] = await moved
    expect(typesOf(told).slice(0, 2)).toEqual(['forecast', 'created'])
    expect(typesOf(told).at(-1)).toBe('end')
    expect(phasesOf(told)).toEqual([
      'Pending',
      'Scheduling',
      'Scheduled',
      'PreparingTarget',
      'TargetReady',
      'Running',
      'Succeeded',
    ])
    expect(result).toMatchObject({
      error: undefined,
      report: { outcome: 'succeeded', sourceNode: 'node-1', targetNode: 'node-3' },
    })
  })

  test('creates what KubeVirt asks for and leaves label and finalizer to its webhook', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const [result] = await move(stage, ['vm-1'], { wait: false }).moved
    expect(result?.error).toBeUndefined()
    const [migration] = await migrationsOf(stage)
    expect(migration?.metadata.name).toMatch(/^kubectl-mig-[a-z0-9]{5}$/)
    expect(migration?.spec).toEqual({ vmiName: 'vm-1' })
    expect(migration?.metadata.labels).toEqual({ 'kubevirt.io/vmi-name': 'vm-1' })
  })

  test('that fails says why and exits with 6', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const { moved } = move(stage, ['vm-1'])
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'PreparingTarget')
    await stage.advance(migration, 'Failed')
    const [result] = await moved
    expect(result?.error).toMatchObject({
      exit: EXIT.migrationFailed,
      message: `migration "${migration.metadata.name}" of "vm-1" failed: Target pod is down`,
    })
  })

  test('that fails before hand-off says the reason of the event, which comes after the phase', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const { moved } = move(stage, ['vm-1'])
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'Scheduling')
    await stage.advance(migration, 'Failed')
    const message = 'Migration target pod was removed during active migration.'
    await stage.event(migration, { type: 'Warning', reason: 'FailedMigration', message })
    expect((await moved)[0]?.error?.message).toContain(`failed: ${message}`)
  })

  test('that somebody cancels exits with 7', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const { told, moved } = move(stage, ['vm-1'])
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'Scheduling')
    await stage.cancel(migration)
    await until(() => told.find(({ step }) => step.type === 'cancelling'))
    await stage.advance(migration, 'Failed')
    const [result] = await moved
    expect(result?.error).toMatchObject({ exit: EXIT.migrationCancelled })
    expect(result?.error?.hint).toBe('the VM runs on node-1 as before')
    expect(result?.report.outcome).toBe('cancelled')
  })

  test('that is interrupted goes on, and how to cancel it is said', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const controller = new AbortController()
    const { told, moved } = move(stage, ['vm-1'], { signal: controller.signal })
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'Scheduling')
    await until(() => phasesOf(told).includes('Scheduling') || undefined)
    controller.abort(new MigError(EXIT.interrupted, 'interrupted'))
    const [result] = await moved
    const { name } = migration.metadata
    expect(result?.error).toMatchObject({
      exit: EXIT.interrupted,
      message: `interrupted; migration "${name}" goes on`,
      hint: `"kubectl mig status vmim/${name} -n demo -w" follows it, "kubectl mig cancel vmim/${name} -n demo" ends it`,
    })
    expect(result?.report).toMatchObject({ outcome: 'running', phase: 'Scheduling' })
    expect((await stage.migration(name)).metadata.deletionTimestamp).toBeUndefined()
  })

  test('that is interrupted before it began creates nothing', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const signal = AbortSignal.abort(new MigError(EXIT.interrupted, 'interrupted'))
    const [result] = await move(stage, ['vm-1'], { signal }).moved
    expect(result?.error?.message).toBe('interrupted; nothing was created for "vm-1"')
    expect(await migrationsOf(stage)).toEqual([])
  })

  test('tells a warning once, however often it comes', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const { told, moved } = move(stage, ['vm-1'])
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'Scheduling')
    const warning = {
      type: 'Warning',
      reason: 'migrationTargetPodUnschedulable',
      message: 'Migration target pod for VMI [demo/vm-1] is currently unschedulable.',
    }
    await stage.event(migration, warning)
    await stage.event(migration, warning)
    await until(() => told.find(({ step }) => step.type === 'warning'))
    await stage.advance(migration, 'Succeeded')
    const [result] = await moved
    expect(typesOf(told).filter((type) => type === 'warning')).toHaveLength(1)
    expect(result?.report.warnings).toMatchObject([
      { object: `VirtualMachineInstanceMigration/${migration.metadata.name}`, count: 2 },
    ])
  })
})

describe('a creation whose answer is lost', () => {
  const silent = (cluster: Cluster, created: boolean): Cluster => ({
    ...cluster,
    request: async (request) => {
      if (request.method !== 'POST') return cluster.request(request)
      if (created) await cluster.request(request)
      throw new ApiError(EXIT.error, 'no answer within 15s', { code: 'TIMEOUT' })
    },
  })

  test('is found and followed', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const { moved } = move(stage, ['vm-1'], { cluster: silent(stage.admin, true) })
    await stage.advance(await stage.theMigrationOf('vm-1'), 'Succeeded')
    expect((await moved)[0]).toMatchObject({ error: undefined, report: { outcome: 'succeeded' } })
    expect(await migrationsOf(stage)).toHaveLength(1)
  })

  test('is said to be unknown where it is not found', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const [result] = await move(stage, ['vm-1'], { cluster: silent(stage.admin, false) }).moved
    expect(result?.error?.message).toBe(
      'no answer within 15s; whether a migration was created is not known',
    )
  })
})

test('a user who sees only the namespace moves VMs, and is told once what stays unseen', async () => {
  const stage = await startStage()
  await stage.addVm('vm-1')
  await stage.grant('editor', 'kubevirt.io:migrate')
  await stage.grant('editor', 'kubevirt.io:view')
  const { told, moved } = move(stage, ['vm-1'], { cluster: await stage.as('editor') })
  const gaps = () => told.flatMap(({ step }) => (step.type === 'gap' ? [step.gap.what] : []))
  const migration = await stage.theMigrationOf('vm-1')
  await stage.advance(migration, 'Running')
  await until(() => gaps().length === 3 || undefined)
  await stage.advance(migration, 'Succeeded')
  const [result] = await moved
  expect(result?.error).toBeUndefined()
  expect(gaps().sort()).toEqual(['events', 'pods', 'progress'])
  expect(told[0]?.step).toMatchObject({
    forecast: { capacity: undefined, policy: undefined, blockers: [] },
  })
  expect(result?.report.gaps.map(({ what }) => what)).toEqual(
    expect.arrayContaining([...gaps(), 'migrations of other namespaces', 'migration policies']),
  )
})

describe('nothing is created', () => {
  test('for what does not exist, and the others move all the same', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const { moved } = move(stage, ['vm-9', 'vm-1'])
    await stage.advance(await stage.theMigrationOf('vm-1'), 'Succeeded')
    const [missing, found] = await moved
    expect(missing?.error).toMatchObject({
      exit: EXIT.notFound,
      message: 'no VM "vm-9" in namespace "demo"',
    })
    expect(found?.error).toBeUndefined()
  })

  test('for a VM that is moving already', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await move(stage, ['vm-1'], { wait: false }).moved
    const [first] = await migrationsOf(stage)
    const [result] = await move(stage, ['vm-1']).moved
    expect(result?.error).toMatchObject({
      exit: EXIT.notFound,
      message: `"vm-1" cannot be migrated: migration "${first?.metadata.name}" is in flight (not yet looked at)`,
    })
    expect(await migrationsOf(stage)).toHaveLength(1)
  })

  test('for a VM that has several things against it, and all are named', async () => {
    const stage = await startStage()
    const message = 'cannot migrate VMI: PVC disk is not shared'
    await stage.addVm('vm-1')
    await move(stage, ['vm-1'], { wait: false }).moved
    await stage.patchVmi('vm-1', {
      status: {
        conditions: [
          { type: 'LiveMigratable', status: 'False', reason: 'DisksNotLiveMigratable', message },
        ],
      },
    })
    const [result] = await move(stage, ['vm-1']).moved
    expect(result?.error?.message).toMatch(
      /^"vm-1" cannot be migrated: \(1\) Cannot migrate VMI, Reason: DisksNotLiveMigratable, Message: cannot migrate VMI: PVC disk is not shared; \(2\) migration ".*" is in flight/,
    )
    expect(result?.report.blockers).toHaveLength(2)
  })

  test('by a dry run, of the client or of the server', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const [client] = await move(stage, ['vm-1'], { dryRun: 'client' }).moved
    expect(client?.planned).toEqual({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { generateName: 'kubectl-mig-', namespace: 'demo' },
      spec: { vmiName: 'vm-1' },
    })
    const [server] = await move(stage, ['vm-1'], { dryRun: 'server' }).moved
    expect(server?.planned?.metadata).toMatchObject({
      finalizers: ['kubevirt.io/migrationJobFinalize'],
    })
    expect(await migrationsOf(stage)).toEqual([])
  })

  test('by whoever may only look, and a role that would help is named', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await stage.grant('viewer', 'kubevirt.io:view')
    const viewer = await stage.as('viewer')
    const [result] = await move(stage, ['vm-1'], { cluster: viewer }).moved
    expect(result?.error).toMatchObject({ exit: EXIT.refused })
    expect(`${result?.error?.message} ${result?.error?.hint}`).toContain('kubevirt.io:migrate')
    expect(await migrationsOf(stage)).toEqual([])
  })
})

describe('a cancel', () => {
  const cancel = (stage: Stage, text: string, more: { wait?: boolean; dryRun?: 'server' } = {}) => {
    const told: { type: string }[] = []
    const results = cancelAll(stage.admin, [parseReference(text, ['vm', 'vmi', 'vmim'])], {
      namespace: 'demo',
      clock: systemClock,
      signal: new AbortController().signal,
      wait: true,
      ...more,
      onStep: ({ step }) => told.push(step),
    })
    return { told, results }
  }

  test('before hand-off ends it at once', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await move(stage, ['vm-1'], { wait: false }).moved
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'Scheduling')
    const { told, results } = cancel(stage, 'vm-1')
    await until(() => told.find(({ type }) => type === 'asked'))
    await stage.advance(migration, 'Failed')
    const [result] = await results
    expect(told[0]).toEqual({ type: 'asked', effect: 'immediate', again: false })
    expect(result).toMatchObject({ error: undefined, report: { outcome: 'cancelled' } })
  })

  test.each([
    ['PreparingTarget', 'deferred'],
    ['Running', 'requested'],
  ])('in %s is %s', async (phase, effect) => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await move(stage, ['vm-1'], { wait: false }).moved
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, phase)
    const { told, results } = cancel(stage, `vmim/${migration.metadata.name}`, { wait: false })
    expect((await results)[0]?.error).toBeUndefined()
    expect(told).toEqual([{ type: 'asked', effect, again: false }])
    expect((await stage.migration(migration.metadata.name)).metadata.deletionTimestamp).toBeTruthy()
  })

  test('that comes too late says so and exits with 1', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await move(stage, ['vm-1'], { wait: false }).moved
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'Running')
    const { told, results } = cancel(stage, 'vm-1')
    await until(() => told.find(({ type }) => type === 'asked'))
    await stage.advance(migration, 'Succeeded')
    expect((await results)[0]?.error).toMatchObject({
      exit: EXIT.error,
      message: `migration "${migration.metadata.name}" could not be cancelled any more: it had succeeded`,
    })
  })

  test('of what is over, or was never there, is refused and touches nothing', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const [never] = await cancel(stage, 'vm-1').results
    expect(never?.error).toMatchObject({
      exit: EXIT.notFound,
      message: '"vm-1" has no migration in flight',
    })
    await move(stage, ['vm-1'], { wait: false }).moved
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'Succeeded')
    const [over] = await cancel(stage, `vmim/${migration.metadata.name}`).results
    expect(over?.error?.exit).toBe(EXIT.notFound)
    expect(
      (await stage.migration(migration.metadata.name)).metadata.deletionTimestamp,
    ).toBeUndefined()
    const [nobody] = await cancel(stage, 'nobody').results
    expect(nobody?.error?.message).toBe('no VM or migration "nobody" in namespace "demo"')
  })

  test('as a dry run changes nothing', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    await move(stage, ['vm-1'], { wait: false }).moved
    const { name } = (await stage.theMigrationOf('vm-1')).metadata
    expect((await cancel(stage, 'vm-1', { dryRun: 'server' }).results)[0]?.error).toBeUndefined()
    expect((await stage.migration(name)).metadata.deletionTimestamp).toBeUndefined()
  })
})
