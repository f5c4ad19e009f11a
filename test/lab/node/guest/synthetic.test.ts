import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../../src/clock.ts'
import type {
  CopySettings,
  Guest,
  GuestHome,
  GuestSpec,
} from '../../../../src/lab/node/guest/guest.ts'
import { guestMaker } from '../../../../src/lab/node/guest/kinds.ts'

const MIB = 2 ** 20
const free: CopySettings = {
  bandwidth: 0,
  maxDowntimeMs: 300,
  autoConverge: false,
  postCopy: false,
  connections: 0,
}
const home: GuestHome = { folder: '', log() {}, onChange() {}, onCrash() {} }
const maker = guestMaker('synthetic', systemClock)
let folder: string
const guests: Guest[] = []

beforeEach(async () => {
  folder = await mkdtemp('/tmp/mig-')
})
afterEach(async () => {
  await Promise.all(guests.splice(0).map((guest) => guest.close()))
  await rm(folder, { recursive: true })
})

async function pair(spec: Partial<GuestSpec> = {}) {
  const full = { memoryBytes: 16 * MIB, diskBytes: 0, dirtyRate: 0, seed: 7, ...spec }
  const files = {
    memory: join(folder, 'memory'),
    disk: full.diskBytes > 0 ? join(folder, 'disk') : undefined,
  }
  const source = maker.boot(full, home)
  const target = maker.incoming(full, home)
  guests.push(source, target)
  const arrival = await target.listen(files, free)
  return { source, target, arrival, files }
}

test('a quiet guest is copied in one round, and both sides have the same checksum', async () => {
  const { source, target, arrival, files } = await pair()
  const copy = source.copyTo(files, free)
  await Promise.all([copy.done, arrival.complete])
  expect(copy.progress()).toMatchObject({
    mode: 'PreCopy',
    iteration: 1,
    totalBytes: 16 * MIB,
    processedBytes: 16 * MIB,
    remainingBytes: 0,
  })
  expect(source.state).toBe('paused')
  expect(await target.checksum()).toBe(await source.checksum())
  await expect.poll(() => readdir(folder)).toEqual([])
})

test('two guests that differ have different checksums', async () => {
  const { source } = await pair({ seed: 1 })
  const other = maker.boot({ memoryBytes: 16 * MIB, diskBytes: 0, dirtyRate: 0, seed: 2 }, home)
  guests.push(other)
  expect(await source.checksum()).not.toBe(await other.checksum())
})

test('a busy guest takes several rounds, loses no write and goes on counting at the target', async () => {
  const { source, target, arrival, files } = await pair({ dirtyRate: 20 * MIB })
  const copy = source.copyTo(files, { ...free, bandwidth: 60 * MIB, maxDowntimeMs: 30 })
  await Promise.all([copy.done, arrival.complete])
  const { iteration, processedBytes } = copy.progress()
  expect(iteration).toBeGreaterThan(1)
  expect(processedBytes).toBeGreaterThan(16 * MIB)
  const handedOver = await target.checksum()
  expect(handedOver).toBe(await source.checksum())
  target.resume()
  await expect.poll(() => target.checksum()).not.toBe(handedOver)
})

test('a local disk goes its own way and is part of the checksum', async () => {
  const { source, target, arrival, files } = await pair({ diskBytes: 3 * MIB + 5000 })
  const copy = source.copyTo(files, free)
  await Promise.all([copy.done, arrival.complete])
  expect(copy.progress().totalBytes).toBe(19 * MIB + 2 * 4096)
  const checksum = await target.checksum()
  expect(checksum?.split(' ')).toHaveLength(2)
  expect(checksum).toBe(await source.checksum())
})

test('the dirty rate can be changed while the guest runs', async () => {
  const { source } = await pair()
  const quiet = await source.checksum()
  await systemClock.sleep(50)
  expect(await source.checksum()).toBe(quiet)
  source.setDirtyRate(10 * MIB)
  await expect.poll(() => source.checksum()).not.toBe(quiet)
  source.setDirtyRate(0)
  await systemClock.sleep(50)
  const still = await source.checksum()
  await systemClock.sleep(50)
  expect(await source.checksum()).toBe(still)
})

test('the bandwidth cap holds', async () => {
  const { source, arrival, files } = await pair({ memoryBytes: 4 * MIB })
  const started = performance.now()
  await Promise.all([source.copyTo(files, { ...free, bandwidth: 16 * MIB }).done, arrival.complete])
  expect(performance.now() - started).toBeGreaterThan(180)
})

test('auto-converge slows a guest that writes faster than the copy goes, until it ends', async () => {
  const { source, target, arrival, files } = await pair({
    memoryBytes: 4 * MIB,
    dirtyRate: 40 * MIB,
  })
  const settings = { ...free, bandwidth: 24 * MIB, maxDowntimeMs: 60, autoConverge: true }
  const copy = source.copyTo(files, settings)
  await Promise.all([copy.done, arrival.complete])
  expect(copy.progress().throttlePercent).toBeGreaterThanOrEqual(20)
  expect(await target.checksum()).toBe(await source.checksum())
})

describe('post-copy', () => {
  test('the guest goes on at the target at once and fetches what it lacks; nothing is lost', async () => {
    const { source, target, arrival, files } = await pair({ dirtyRate: 8 * MIB })
    const copy = source.copyTo(files, { ...free, bandwidth: 16 * MIB, maxDowntimeMs: 1 })
    await expect.poll(() => copy.progress().processedBytes).toBeGreaterThan(MIB)
    copy.startPostCopy()
    await arrival.runnable
    expect(target.state).toBe('running')
    expect(source.state).toBe('paused')
    expect(copy.progress().remainingBytes).toBeGreaterThan(0)
    await Promise.all([copy.done, arrival.complete])
    expect(copy.progress()).toMatchObject({ mode: 'PostCopy', remainingBytes: 0 })
    expect(copy.progress().postCopyRequests).toBeGreaterThan(0)
    expect(copy.progress().resumedAt).toBeGreaterThanOrEqual(copy.progress().pausedAt ?? 0)
    expect(await target.checksum()).toBe(await source.checksum())
  })

  test('it can no longer be cancelled', async () => {
    const { source, arrival, files } = await pair()
    const copy = source.copyTo(files, { ...free, bandwidth: 32 * MIB, maxDowntimeMs: 1 })
    copy.startPostCopy()
    await arrival.runnable
    copy.cancel(new Error('too late'))
    await Promise.all([copy.done, arrival.complete])
  })
})

describe('a copy that fails leaves the guest as it is', () => {
  test('cancelled', async () => {
    const { source, arrival, files } = await pair({ dirtyRate: MIB })
    const copy = source.copyTo(files, { ...free, bandwidth: MIB })
    await expect.poll(() => copy.progress().processedBytes).toBeGreaterThan(0)
    copy.cancel(new Error('stop it'))
    await expect(copy.done).rejects.toThrow('stop it')
    await expect(arrival.complete).rejects.toThrow('closed before the copy was complete')
    expect(source.state).toBe('running')
  })

  test('the target dies', async () => {
    const { source, target, arrival, files } = await pair()
    const copy = source.copyTo(files, { ...free, bandwidth: MIB })
    await expect.poll(() => copy.progress().processedBytes).toBeGreaterThan(0)
    await target.close()
    await expect(copy.done).rejects.toThrow()
    await expect(arrival.complete).rejects.toThrow()
    expect(source.state).toBe('running')
  })

  test('nobody listens', async () => {
    const { source, files } = await pair()
    const copy = source.copyTo({ ...files, memory: join(folder, 'nobody') }, free)
    await expect(copy.done).rejects.toMatchObject({ code: 'ENOENT' })
    expect(source.state).toBe('running')
  })
})
