import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { SECTOR_BYTES } from '../../src/lab/node/guest/qemu/boot-sector.ts'
import { hasQemu, lineNumbers, MIB, NO_QEMU, qemuPair, tempFolder } from './qemu.ts'

type Pair = Awaited<ReturnType<typeof qemuPair>>

/** A machine that is busy with other tests takes its time. */
const patience = { timeout: 10_000 }

/** Needs userfaultfd, which vm.unprivileged_userfaultfd=1 gives to others as well. */
const testPostCopy = test.skipIf(process.getuid?.() !== 0)

/** Guests of the lab in real QEMUs, moved through our own proxies over mutual TLS. */
const name = 'a guest in a real QEMU'
if (hasQemu) describe(name, guests)
else test.skip(`${name}: ${NO_QEMU}`)

function guests(): void {
  test('moves: memory is the same on both sides, and it goes on counting where it was', async () => {
    const pair = await qemuPair()
    await heard(pair, 1)
    const [copy] = await moved(pair)
    expect(copy.progress()).toMatchObject({ mode: 'PreCopy', remainingBytes: 0 })
    expect(copy.progress().processedBytes).toBeGreaterThan(31 * MIB)
    expect(copy.progress().iteration).toBeGreaterThan(0)
    expect(pair.source.state).toBe('paused')
    expect(pair.target.state).toBe('incoming')
    expect(await pair.target.checksum()).toBe(await pair.source.checksum())
    const atSource = await pair.source.check()

    await pair.target.resume()
    expect(pair.target.state).toBe('running')
    await heard(pair, atSource.lines + 2)
    const atTarget = await pair.target.check()
    expect(atTarget.pages).toBeGreaterThan(atSource.pages)
    await expectOneStream(pair)
  })

  test('writes its memory at the rate that it is told', async () => {
    const pair = await qemuPair({ dirtyRate: 0 })
    await heard(pair, 2)
    const idle = await pair.source.check()
    pair.source.setDirtyRate(40 * MIB)
    await expect
      .poll(async () => (await pair.source.check()).pages, { timeout: 10_000 })
      .toBeGreaterThan(idle.pages + 5000)
    pair.source.setDirtyRate(0)
    const { lines } = await pair.source.check()
    await heard(pair, lines + 2)
    const still = await pair.source.check()
    await heard(pair, still.lines + 2)
    expect((await pair.source.check()).pages).toBe(still.pages)
  })

  test('takes no more bandwidth than is allowed, and QEMU says how much', async () => {
    const pair = await qemuPair({}, { bandwidth: 16 * MIB })
    await heard(pair, 1)
    const arrival = await pair.listen()
    const started = performance.now()
    const copy = pair.copy()
    await expect
      .poll(() => copy.progress().memoryBytesPerSecond, { timeout: 5000 })
      .toBeGreaterThan(8 * MIB)
    const { totalBytes, remainingBytes, processedBytes, memoryBytesPerSecond } = copy.progress()
    expect(memoryBytesPerSecond).toBeLessThan(24 * MIB)
    expect(remainingBytes).toBeLessThan(totalBytes)
    expect(processedBytes).toBeGreaterThan(0)
    await Promise.all([copy.done, arrival.complete])
    expect(performance.now() - started).toBeGreaterThan(1500)
  })

  test('that is too busy is slowed down by auto-converge, and moves when it has calmed down', async () => {
    const pair = await qemuPair(
      { dirtyRate: 400 * MIB },
      { bandwidth: 24 * MIB, autoConverge: true },
    )
    await heard(pair, 2)
    const arrival = await pair.listen()
    const copy = pair.copy()
    await expect
      .poll(() => copy.progress().throttlePercent, { timeout: 15_000 })
      .toBeGreaterThanOrEqual(20)
    expect(copy.progress().dirtyBytesPerSecond).toBeGreaterThan(4 * MIB)
    pair.source.setDirtyRate(0)
    await Promise.all([copy.done, arrival.complete])
    expect(copy.progress().throttlePercent).toBeGreaterThanOrEqual(20)
    expect(copy.progress().iteration).toBeGreaterThan(2)
    expect(await pair.target.checksum()).toBe(await pair.source.checksum())
  })

  test('is sent on several connections at once, all by the one port', async () => {
    const pair = await qemuPair({}, { connections: 4, bandwidth: 32 * MIB })
    await heard(pair, 1)
    const arrival = await pair.listen()
    const copy = pair.copy()
    await expect.poll(() => pair.proxies.source.connections().length, patience).toBe(5)
    await Promise.all([copy.done, arrival.complete])
    expect(await pair.target.checksum()).toBe(await pair.source.checksum())
  })

  testPostCopy(
    'goes on at the target at once with post-copy, and lacks nothing in the end',
    async () => {
      const pair = await qemuPair({ dirtyRate: 40 * MIB }, { postCopy: true, bandwidth: 8 * MIB })
      await heard(pair, 1)
      const arrival = await pair.listen()
      const copy = pair.copy()
      await expect.poll(() => copy.progress().processedBytes, patience).toBeGreaterThan(MIB)
      copy.startPostCopy()
      await arrival.runnable
      expect(pair.target.state).toBe('running')
      copy.cancel(new Error('too late'))
      await Promise.all([copy.done, arrival.complete])
      expect(copy.progress()).toMatchObject({ mode: 'PostCopy', remainingBytes: 0 })
      expect(copy.progress().postCopyRequests).toBeGreaterThan(0)
      expect(copy.progress().resumedAt).toBeGreaterThanOrEqual(copy.progress().pausedAt ?? Infinity)
      const { lines } = await pair.target.check()
      await heard(pair, lines + 2)
      await expectOneStream(pair)
      expect(await pair.target.checksum()).toBeUndefined()
      const third = await pair.moveOn()
      expect(await third.checksum()).toMatch(/^[\da-f]{64}$/)
      expect(await third.checksum()).toBe(await pair.target.checksum())
    },
  )

  testPostCopy(
    'is lost when its target dies in post-copy: what is left at the source must not run',
    async () => {
      const pair = await qemuPair({ dirtyRate: 40 * MIB }, { postCopy: true, bandwidth: 4 * MIB })
      await heard(pair, 1)
      const arrival = await pair.listen()
      arrival.complete.catch(() => {})
      const copy = pair.copy()
      copy.done.catch(() => {})
      await expect.poll(() => copy.progress().processedBytes, patience).toBeGreaterThan(0)
      // Held up, so that not all has arrived before it dies.
      const target = await pair.pid('b')
      process.kill(target, 'SIGSTOP')
      copy.startPostCopy()
      await expect.poll(() => copy.progress().mode, patience).toBe('PostCopy')
      process.kill(target, 'SIGKILL')
      await expect(copy.done).rejects.toThrow(/^operation failed: job 'migration out' failed: /)
      expect(pair.source.state).toBe('paused')
      await expect(pair.source.resume()).rejects.toThrow("QEMU command 'cont'")
    },
  )

  test('brings its disk, which it goes on writing to', async () => {
    const pair = await qemuPair({ diskBytes: 16 * MIB })
    await heard(pair, 2)
    const [copy] = await moved(pair)
    expect(copy.progress().totalBytes).toBeGreaterThan(48 * MIB)
    const checksum = await pair.target.checksum()
    expect(checksum?.split(' ')).toHaveLength(2)
    expect(checksum).toBe(await pair.source.checksum())
    const { writes } = await pair.source.check()
    expect(writes).toBeGreaterThan(0)
    const sent = () =>
      pair.proxies.source.records
        .filter(({ listening }) => String(listening).includes('49153'))
        .map(({ msg }) => Number(/^(\d+) bytes copied from inbound/.exec(msg)?.[1] ?? 0))
    await expect.poll(() => Math.max(0, ...sent()), patience).toBeGreaterThan(writes * SECTOR_BYTES)

    await pair.target.resume()
    await heard(pair, (await pair.source.check()).lines + 2)
    await pair.target.pause()
    const after = await pair.target.check()
    expect(after.writes).toBeGreaterThan(writes)
    const disk = await pair.disk('b')
    const first = Array.from({ length: after.writes }, (_, sector) =>
      disk.readUInt32LE(sector * SECTOR_BYTES),
    )
    expect(first).toEqual(first.map((_, sector) => sector + 1))
    await expectOneStream(pair)
  })

  describe('stays where it is, and runs,', () => {
    test('when the copy is cancelled', async () => {
      const { pair, copy, arrival } = await halfMoved()
      copy.cancel(new Error('stop it'))
      await expect(copy.done).rejects.toThrow('stop it')
      await expect(arrival.complete).rejects.toThrow()
      await expectToRun(pair)
    })

    test('when the disk is still being copied as it is cancelled', async () => {
      const { pair, copy } = await halfMoved({ diskBytes: 16 * MIB })
      copy.cancel(new Error('stop it'))
      await expect(copy.done).rejects.toThrow('stop it')
      await expectToRun(pair)
    })

    test("when the target's QEMU is killed", async () => {
      const { pair, copy, arrival } = await halfMoved()
      process.kill(await pair.pid('b'), 'SIGKILL')
      await expect(copy.done).rejects.toThrow(
        /^operation failed: job 'migration out' failed: Unable to write to socket: /,
      )
      await expect(arrival.complete).rejects.toThrow('QEMU unexpectedly closed the monitor')
      await expectToRun(pair)
    })

    test('when the proxy is cut', async () => {
      const { pair, copy, arrival } = await halfMoved()
      await pair.proxies.target.close()
      await expect(copy.done).rejects.toThrow(/^operation failed: job 'migration out' failed: /)
      await expect(arrival.complete).rejects.toThrow()
      await expectToRun(pair)
    })

    test("when the disk's channel is cut", async () => {
      // A mirror that is held back notices it only when it may go on.
      const { pair, copy } = await halfMoved({ diskBytes: 32 * MIB }, 24 * MIB)
      await pair.proxies.target.close()
      await expect(copy.done).rejects.toThrow(
        /^operation failed: migration of disk hda failed: Input\/output error/,
      )
      await expectToRun(pair)
    })

    test('when nothing flows any more: the figures stand still, and it can be cancelled', async () => {
      const { pair, copy } = await halfMoved()
      process.kill(await pair.pid('b'), 'SIGSTOP')
      let before = -1
      await expect
        .poll(
          () => {
            const same = copy.progress().remainingBytes === before
            before = copy.progress().remainingBytes
            return same
          },
          { interval: 500, timeout: 10_000 },
        )
        .toBe(true)
      await expectToRun(pair)
      copy.cancel(new Error('stop it'))
      await expect(copy.done).rejects.toThrow('stop it')
      await expectToRun(pair)
    })

    test('when nothing flows on any of its connections: it can be cancelled too', async () => {
      const pair = await qemuPair({ dirtyRate: 400 * MIB }, { connections: 4, bandwidth: 64 * MIB })
      await heard(pair, 2)
      const arrival = await pair.listen()
      arrival.complete.catch(() => {})
      const copy = pair.copy()
      copy.done.catch(() => {})
      await expect.poll(() => pair.proxies.target.connections().length, patience).toBe(5)
      process.kill(await pair.pid('b'), 'SIGSTOP')
      let before = -1
      await expect
        .poll(
          () => {
            const { remainingBytes, processedBytes } = copy.progress()
            const same = remainingBytes === before && processedBytes > MIB
            before = remainingBytes
            return same
          },
          { interval: 700, timeout: 15_000 },
        )
        .toBe(true)
      pair.source.setDirtyRate(0)
      copy.cancel(new Error('stop it'))
      await expect(copy.done).rejects.toThrow('stop it')
      await expectToRun(pair)
    })

    test('when nobody listens', async () => {
      const pair = await qemuPair()
      await heard(pair, 1)
      const copy = pair.copy()
      await expect(copy.done).rejects.toThrow(/^operation failed: job 'migration out' failed: /)
      await expectToRun(pair)
    })
  })

  test('that crashes is told of', async () => {
    const pair = await qemuPair()
    await heard(pair, 1)
    process.kill(await pair.pid('a'), 'SIGKILL')
    await expect.poll(() => pair.source.state, patience).toBe('ended')
    expect(pair.crashes.map(String)).toEqual([
      expect.stringContaining('QEMU unexpectedly closed the monitor'),
    ])
  })

  test('does not outlive who started it, not even one that was killed', async () => {
    const folder = await tempFolder()
    const program = `
      import { systemClock } from '${new URL('../../src/clock.ts', import.meta.url)}'
      import { QemuGuest } from '${new URL('../../src/lab/node/guest/qemu/guest.ts', import.meta.url)}'
      const home = { folder: '${folder}/a', log() {}, onCrash() {}, onChange: () => console.log('runs') }
      new QemuGuest({ memoryBytes: ${8 * MIB}, diskBytes: 0, dirtyRate: 0, seed: 1 }, home, systemClock, false)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(parent.stdout, 'data')
    const pid = Number(await readFile(`${folder}/a/pid`, 'utf8'))
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isAlive(pid), patience).toBe(false)
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Until so many lines have been said. */
async function heard(pair: Pair, lines: number): Promise<void> {
  await expect
    .poll(async () => lineNumbers(await pair.said()).length, { timeout: 15_000 })
    .toBeGreaterThanOrEqual(lines)
}

async function moved(pair: Pair) {
  const arrival = await pair.listen()
  const copy = pair.copy()
  await Promise.all([copy.done, arrival.complete])
  return [copy, arrival] as const
}

/** A copy that would take a while, begun. */
async function halfMoved(spec: Parameters<typeof qemuPair>[0] = {}, bandwidth = 2 * MIB) {
  const pair = await qemuPair(spec, { bandwidth })
  await heard(pair, 1)
  const arrival = await pair.listen()
  arrival.complete.catch(() => {})
  const copy = pair.copy()
  copy.done.catch(() => {})
  await expect.poll(() => copy.progress().processedBytes, patience).toBeGreaterThan(0)
  return { pair, copy, arrival }
}

async function expectToRun(pair: Pair): Promise<void> {
  await pair.source.resume()
  expect(pair.source.state).toBe('running')
  const { lines } = await pair.source.check()
  await heard(pair, lines + 2)
  expect(pair.crashes).toEqual([])
}

/** Not a line is missing, cut or said twice, wherever the guest was. */
async function expectOneStream(pair: Pair): Promise<void> {
  const numbers = lineNumbers(await pair.said())
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
}
