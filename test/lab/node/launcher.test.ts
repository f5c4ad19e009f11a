import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import type { CopySettings, GuestSpec } from '../../../src/lab/node/guest/guest.ts'
import { type GuestKind, guestMaker } from '../../../src/lab/node/guest/kinds.ts'
import { type Launcher, startLauncher } from '../../../src/lab/node/launcher.ts'
import type { MigrationRequest } from '../../../src/lab/node/outgoing-migration.ts'
import type { CopyLimits } from '../../../src/rules/convergence.ts'

const MIB = 2 ** 20
const spec: GuestSpec = { memoryBytes: 8 * MIB, diskBytes: 0, dirtyRate: 0, seed: 3 }
const patient: CopyLimits = {
  completionSeconds: 0,
  progressSeconds: 0,
  allowPostCopy: false,
  allowWorkloadDisruption: false,
}
const free: CopySettings = {
  bandwidth: 0,
  maxDowntimeMs: 300,
  autoConverge: false,
  postCopy: false,
  connections: 0,
}
const slow = { ...free, bandwidth: 2 * MIB, maxDowntimeMs: 1 }
let root: string
const launchers: Launcher[] = []

beforeEach(async () => {
  root = await mkdtemp('/tmp/mig-')
})
afterEach(async () => {
  await Promise.all(launchers.splice(0).map((launcher) => launcher.exit(0)))
  await rm(root, { recursive: true })
})

async function launcher(name: string, guests: GuestKind = 'synthetic') {
  const onExit = vi.fn()
  const one = await startLauncher({
    folder: join(root, name),
    guests: guestMaker(guests, systemClock),
    clock: systemClock,
    log: () => {},
    onChange: () => {},
    onExit,
  })
  launchers.push(one)
  return { ...one, onExit, it: one }
}

/** A source and a target whose sockets are joined by symbolic links: a proxy without a network. */
async function pair(change: Partial<GuestSpec> = {}, guests: GuestKind = 'synthetic') {
  const guest = { ...spec, ...change }
  const block = guest.diskBytes > 0
  const source = (await launcher('a', guests)).it
  const target = (await launcher('b', guests)).it
  source.boot(guest)
  const names = ['', '-49152', '-49153']
  for (const [index, file] of target.targetFiles('U1', block).entries()) {
    await symlink(file, join(source.baseDir, 'migrationproxy', `U1${names[index]}-source.sock`))
  }
  const migrate = (more: Partial<MigrationRequest> = {}) =>
    source.migrate({
      uid: 'M1',
      vmiUid: 'U1',
      block,
      spec: guest,
      settings: free,
      limits: patient,
      ...more,
    })
  const ended = () =>
    expect.poll(() => source.domain.outgoing?.endedAt, { timeout: 10_000 }).toBeTruthy()
  return { source, target, migrate, ended }
}

test.each<[string, Partial<GuestSpec>, GuestKind]>([
  ['a guest', {}, 'synthetic'],
  ['a guest with a local disk', { diskBytes: 2 * MIB }, 'synthetic'],
  ['a busy guest', { dirtyRate: 5 * MIB }, 'synthetic'],
  ['a guest without bytes', {}, 'none'],
])('%s moves: it ends at the source and runs at the target', async (_, change, guests) => {
  const { source, target, migrate, ended } = await pair(change, guests)
  migrate()
  await ended()
  expect(source.domain).toMatchObject({
    state: 'ended',
    outgoing: { uid: 'M1', mode: 'PreCopy', ...(guests === 'synthetic' && { verified: true }) },
  })
  expect(source.domain.outgoing?.failed).toBeUndefined()
  expect(target.domain.state).toBe('running')
  expect(target.domain.arrivedAt).toBeGreaterThan(0)
})

describe('a migration that fails leaves the guest running where it was', () => {
  test('cancelled', async () => {
    const { source, target, migrate, ended } = await pair()
    migrate({ settings: slow })
    await expect.poll(() => source.progress()?.processedBytes).toBeGreaterThan(0)
    expect(source.cancelMigration('another')).toBe(false)
    expect(source.cancelMigration('M1')).toBe(true)
    await ended()
    expect(source.domain).toMatchObject({
      state: 'running',
      outgoing: {
        failed: true,
        abortStatus: 'Succeeded',
        failureReason: 'Live migration has been aborted',
      },
    })
    await expect.poll(() => target.domain.state).toBe('none')
  })

  test('the target process is killed', async () => {
    const { source, target, migrate, ended } = await pair()
    migrate({ settings: slow })
    await expect.poll(() => source.progress()?.processedBytes).toBeGreaterThan(0)
    await target.exit(137)
    await ended()
    expect(source.domain.state).toBe('running')
    expect(source.domain.outgoing?.failureReason).toMatch(/^virError\(Code=(9|38), Domain=/)
  })

  test('there is no proxy', async () => {
    const { it: source } = await launcher('a')
    source.boot(spec)
    source.migrate({ uid: 'M1', vmiUid: 'U1', block: false, spec, settings: slow, limits: patient })
    await expect
      .poll(() => source.domain.outgoing?.failureReason)
      .toBe(
        `virError(Code=38, Domain=7, Message='Failed to connect socket to '${source.baseDir}/migrationproxy/U1-source.sock': No such file or directory')`,
      )
    expect(source.domain.state).toBe('running')
  })

  test('it takes longer than allowed', async () => {
    const { source, migrate, ended } = await pair({ dirtyRate: MIB })
    migrate({ settings: slow, limits: { ...patient, completionSeconds: 0.5 } })
    await ended()
    expect(source.domain).toMatchObject({
      state: 'running',
      outgoing: { failed: true, failureReason: 'Live migration has been aborted' },
    })
  })
})

describe('a copy that does not end in time is helped', () => {
  const limits = { ...patient, completionSeconds: 0.5, allowWorkloadDisruption: true }

  test('by post-copy, after which it cannot be cancelled', async () => {
    const { source, target, migrate, ended } = await pair({ dirtyRate: 4 * MIB })
    migrate({
      settings: { ...slow, bandwidth: 3 * MIB },
      limits: { ...limits, allowPostCopy: true },
    })
    await expect.poll(() => target.domain.state, { timeout: 5000 }).toBe('running')
    expect(source.domain.outgoing?.mode).toBe('PostCopy')
    source.cancelMigration('M1')
    await ended()
    expect(source.domain).toMatchObject({
      state: 'ended',
      outgoing: { mode: 'PostCopy', abortStatus: 'Failed', verified: true },
    })
    expect(source.domain.outgoing?.failed).toBeUndefined()
  })

  test('or by pausing the guest', async () => {
    const { source, target, migrate, ended } = await pair({ dirtyRate: 60 * MIB })
    migrate({ settings: { ...slow, bandwidth: 32 * MIB }, limits })
    await ended()
    expect(source.domain.outgoing).toMatchObject({ mode: 'Paused', verified: true })
    expect(target.domain.state).toBe('running')
  })
})

test('when the answer to the last call is lost, the guest waits until it is clear who has it', async () => {
  const { source, target, migrate, ended } = await pair()
  const control = join(source.baseDir, 'migrationproxy', 'U1-source.sock')
  await rm(control)
  const relay = createServer((near) => {
    const far = connect(target.targetFiles('U1', false)[0] ?? '')
    let finishing = false
    near.on('data', (chunk) => {
      finishing ||= chunk.includes('"finish"')
      far.write(chunk)
    })
    far.on('data', (chunk) => (finishing ? near.destroy() : near.write(chunk)))
    near.on('close', () => far.destroy())
  })
  relay.listen(control)
  migrate()
  await ended()
  relay.close()
  expect(source.domain).toMatchObject({
    state: 'paused',
    outgoing: { failed: true, inDoubt: true },
  })
  expect(target.domain.state).toBe('running')
  source.settleMigration()
  expect(source.domain.state).toBe('running')
})

test('a migration is never tried twice', async () => {
  const { source, migrate, ended } = await pair()
  migrate({ settings: slow })
  source.cancelMigration('M1')
  await ended()
  expect(() => migrate()).toThrow(
    /^migration job M1 already executed, finished at 20.*, failed: true/,
  )
})

test('a launcher that exits leaves no file, and says so once', async () => {
  const one = await launcher('a')
  one.it.boot(spec)
  await Promise.all([one.it.exit(1), one.it.exit(0)])
  expect(await readdir(root)).toEqual([])
  expect(one.onExit.mock.calls).toEqual([[1]])
})
