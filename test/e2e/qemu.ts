import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { ChannelFiles, CopySettings, GuestSpec } from '../../src/lab/node/guest/guest.ts'
import { QemuGuest } from '../../src/lab/node/guest/qemu/guest.ts'
import { QEMU } from '../../src/lab/node/guest/qemu/process.ts'
import type { NodeRecord } from '../../src/lab/node/log.ts'
import { testManager } from '../proxy/fixtures.ts'
import { testPki } from '../proxy/pki.ts'

export const MIB = 2 ** 20
export const hasQemu = spawnSync(QEMU, ['--version']).status === 0
export const NO_QEMU = 'QEMU is not installed: test/e2e/install-real-parts.sh'

const KEY = 'U1'

const free: CopySettings = {
  bandwidth: 0,
  maxDowntimeMs: 300,
  autoConverge: false,
  postCopy: false,
  connections: 0,
}

/** With a short name, for sockets. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp('/tmp/mig-')
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A guest in a QEMU, and a QEMU that waits for it behind a pair of proxies with mutual TLS. */
export async function qemuPair(
  change: Partial<GuestSpec> = {},
  settings: Partial<CopySettings> = {},
) {
  const root = await tempFolder()
  const spec: GuestSpec = {
    memoryBytes: 32 * MIB,
    diskBytes: 0,
    dirtyRate: 4 * MIB,
    seed: 7,
    ...change,
  }
  const all = { ...free, ...settings }
  const logs: NodeRecord[] = []
  const guest = (name: string, incoming: boolean) => {
    const crashes: Error[] = []
    const home = {
      folder: join(root, name),
      log: (record: NodeRecord) => logs.push({ node: name, ...record }),
      onChange() {},
      onCrash: (err: Error) => crashes.push(err),
    }
    const one = new QemuGuest(spec, home, systemClock, incoming)
    onTestFinished(() => one.close())
    return { guest: one, crashes }
  }
  const source = guest('a', false)
  const target = guest('b', true)
  const pki = await testPki()
  const proxies = { source: testManager(pki), target: testManager(pki) }
  const channels = spec.diskBytes > 0 ? ['49152', '49153'] : ['49152']
  const behind = channels.map((label) => join(root, `${KEY}-${label}-source.sock`))
  await proxies.target.startTargetListener(KEY, behind)
  const ports = proxies.target.targetListenerPorts(KEY)
  await proxies.source.startSourceListener(KEY, '127.0.0.1', ports, root)
  const before = proxies.source.sourceListenerFiles(KEY)
  const files = (names: string[]): ChannelFiles => ({
    memory: names.find((name) => name.includes('49152')) ?? '',
    disk: names.find((name) => name.includes('49153')),
  })
  return {
    source: source.guest,
    target: target.guest,
    crashes: source.crashes,
    proxies,
    logs,
    spec,
    listen: () => target.guest.listen(files(behind), all),
    /** Moves the target's guest on to a third QEMU, without proxies. */
    async moveOn() {
      const { guest: third } = guest('c', true)
      const memory = join(root, 'third')
      const arrival = await third.listen({ memory }, free)
      await Promise.all([target.guest.copyTo({ memory }, free).done, arrival.complete])
      return third
    },
    copy: () => source.guest.copyTo(files(before), all),
    /** Number of a side's process. */
    pid: async (name: 'a' | 'b') => Number(await readFile(join(root, name, 'pid'), 'utf8')),
    /** What the guest has said, on both sides. */
    said: async () =>
      (
        await Promise.all(
          ['a', 'b'].map((name) =>
            readFile(join(root, name, 'console.log'), 'utf8').catch(() => ''),
          ),
        )
      ).join(''),
    /** Of a side. */
    disk: (name: 'a' | 'b') => readFile(join(root, name, 'disk.raw')),
  }
}

/** The numbers of a guest's lines, which must be 1, 2, 3 … wherever it was. */
export function lineNumbers(text: string): number[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      if (!/^[\dA-F]{8} [\dA-F]{8} [\dA-F]{8}$/.test(line)) throw new Error(`"${line}" is no line`)
      return Number.parseInt(line.slice(0, 8), 16)
    })
}
