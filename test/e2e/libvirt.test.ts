import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bootSector, checkMemory, SECTOR_BYTES } from '../../src/lab/node/guest/qemu/boot-sector.ts'
import { type LibvirtHost, libvirtHost, missingForLibvirt, recipe } from './libvirt.ts'
import { lineNumbers, MIB } from './qemu.ts'

/** docs/libvirt.md, command by command, between two real libvirtds. */
const missing = missingForLibvirt()
const name = 'plain libvirt hosts migrate through "kubectl mig proxy"'
if (missing === undefined) describe(name, { timeout: 60_000 }, hosts)
else test.skip(`${name}: ${missing}`)

const PAGE = new URL('../../docs/libvirt.md', import.meta.url)
const MEMORY = 48 * MIB
const DISK = 16 * MIB
/** Below those that the system gives to connections. */
const PORTS = 20_000 + (process.pid % 1000) * 10

function hosts(): void {
  let folder: string
  let steps: Record<string, string>
  let a: LibvirtHost
  let b: LibvirtHost
  let round = 0
  let env: Record<string, string>

  beforeAll(async () => {
    folder = await mkdtemp('/tmp/mig-')
    await plugin(folder)
    steps = await recipe(PAGE)
    const settings = {
      PATH: `${folder}:${process.env['PATH']}`,
      VM: 'vm1',
      DIR: '/run/mig',
      CERTS: folder,
      TARGET: '127.0.0.1',
      DISK: 'hda',
    }
    ;[a, b] = await Promise.all([libvirtHost(settings), libvirtHost(settings)])
    await a.run(steps['certificates'] ?? '')
  }, 60_000)
  afterAll(async () => {
    await Promise.all([a?.close(), b?.close()])
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    round++
    env = { KEY: `vm1-${round}` }
    await Promise.all([place(a, true), place(b, false)])
    await a.virsh('create', '/run/vm/vm1.xml')
    await heard(2)
  })
  afterEach(() => Promise.all([a, b].map(clear)))

  /** A target's proxy for some of the channels: where its ports lead, and how it is called. */
  async function target(...labels: number[]) {
    const port = PORTS + 10 * round + (labels[0] === 0 ? 0 : 5)
    const script = (steps['target'] ?? '')
      .split('\n')
      .filter((line) => !line.includes('--unix') || labels.some((l) => line.includes(` ${l}=`)))
      .join('\n')
    const proxy = `${port}-${port + labels.length - 1}`
    const { first: line, log } = await b.start(script, { ...env, PORTS: proxy })
    return { proxy, log, map: JSON.parse(line) as Record<string, number> }
  }

  async function source(map: Record<string, number>): Promise<string[]> {
    const script = `${steps['map']}${steps['source']}`
    return JSON.parse((await a.start(script, env, JSON.stringify(map))).first)
  }

  const migrate = (step: 'shared' | 'disk', ...more: string[]) =>
    // Of a folder that is its own libvirt can't know that it is shared.
    a.run([(steps[step] ?? '').trimEnd(), '--unsafe', ...more].join(' '), env)

  const said = async () =>
    (
      await Promise.all(
        [a, b].map((host) => readFile(host.file('/run/vm/console.log'), 'utf8').catch(() => '')),
      )
    ).join('')

  async function heard(lines: number): Promise<void> {
    await expect
      .poll(async () => lineNumbers(await said()).length, { timeout: 15_000 })
      .toBeGreaterThanOrEqual(lines)
  }

  /** The guest has gone on where it was, and lacks nothing of its memory. */
  async function expectAtTarget() {
    expect(await a.virsh('list', '--name')).toBe('')
    const { length } = lineNumbers(await said())
    await heard(length + 2)
    const numbers = lineNumbers(await said())
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    return memoryOf(b)
  }

  async function expectAtSource(): Promise<void> {
    expect(await a.virsh('domstate', 'vm1')).toContain('running')
    await expect.poll(() => b.virsh('list', '--all', '--name'), { timeout: 10_000 }).toBe('')
    const { length } = lineNumbers(await said())
    await heard(length + 2)
    await memoryOf(a)
  }

  test('memory and disk move, each by its own channel, and arrive whole', async () => {
    const { map } = await target(0, 49152, 49153)
    expect(Object.values(map)).toEqual([0, 49152, 49153])
    expect(await source(map)).toHaveLength(3)
    const original = await readFile(a.file('/run/vm/disk.raw'))
    await migrate('disk')
    const { writes } = await expectAtTarget()
    await b.virsh('suspend', 'vm1')
    const disk = await readFile(b.file('/run/vm/disk.raw'))
    const numbers = Array.from({ length: writes }, (_, sector) =>
      disk.readUInt32LE(sector * SECTOR_BYTES),
    )
    expect(numbers).toEqual(numbers.map((_, sector) => sector + 1))
    const rest = DISK / 2
    expect(disk.subarray(rest).equals(original.subarray(rest))).toBe(true)
  })

  test('memory moves on several connections, all by the one port', async () => {
    const { log, map } = await target(0, 49152)
    await source(map)
    await migrate('shared', '--parallel', '--parallel-connections', '4')
    await expectAtTarget()
    const streams = log()
      .split('\n')
      .filter((line) => /bytes copied from inbound/.test(line))
    expect(streams.filter((line) => line.includes(`${env['KEY']}-49152`))).toHaveLength(5)
  })

  test('the guest stays when the control channel is cut', async () => {
    const control = await target(0)
    const memory = await target(49152)
    await source({ ...control.map, ...memory.map })
    const failure = migrate('shared', '--bandwidth', '2').catch(String)
    await flows(a)
    await cut(b, control.proxy)
    expect(await failure).toMatch(
      /client socket is closed|End of file while reading data|Cannot recv data/,
    )
    await expectAtSource()
  })

  test('the guest stays when the memory channel is cut', async () => {
    const control = await target(0)
    const memory = await target(49152)
    await source({ ...control.map, ...memory.map })
    const failure = migrate('shared', '--bandwidth', '2').catch(String)
    await flows(a)
    await cut(b, memory.proxy)
    expect(await failure).toMatch(
      // By the one side or, when its QEMU has said so before that, by the other.
      /job 'migration out' failed: Unable to write to socket: |qemu unexpectedly closed the monitor: /,
    )
    await expectAtSource()
  })

  test("the guest stays when the disks' channel is cut", async () => {
    const others = await target(0, 49152)
    const disks = await target(49153)
    await source({ ...others.map, ...disks.map })
    const failure = migrate('disk', '--bandwidth', '1').catch(String)
    await flows(a, /File remaining/)
    await cut(b, disks.proxy)
    expect(await failure).toMatch(/migration of disk hda failed: Input\/output error/)
    await expectAtSource()
  })
}

/** The plugin from its source, as a shell finds it; each proxy leaves its number in its host's /run. */
async function plugin(folder: string): Promise<void> {
  const entry = fileURLToPath(new URL('../../bin/dev.js', import.meta.url))
  const program = `#!/bin/sh
echo $$ > "/run/\${PORTS:-source}.pid"
exec '${process.execPath}' '${entry}' "$@"
`
  await writeFile(join(folder, 'kubectl-mig'), program)
  await chmod(join(folder, 'kubectl-mig'), 0o755)
}

/** As when its node loses power. */
async function cut(host: LibvirtHost, proxy: string): Promise<void> {
  await host.run(`kill -KILL $(cat /run/${proxy}.pid); rm /run/${proxy}.pid`)
}

/** Ends guest and proxies. */
async function clear(host: LibvirtHost): Promise<void> {
  await host.virsh('destroy', 'vm1').catch(() => {})
  await host.virsh('undefine', 'vm1').catch(() => {})
  await host.run('for pid in /run/*.pid; do kill -KILL $(cat $pid) || true; done; rm -f /run/*.pid')
}

/** The guest's files; where it runs at first its disk has been used. */
async function place(host: LibvirtHost, isSource: boolean): Promise<void> {
  const spec = { memoryBytes: MEMORY, diskBytes: DISK, dirtyRate: 4 * MIB, seed: 11 }
  const disk = Buffer.alloc(DISK, isSource ? 'used' : 0)
  await host.run('rm -f /run/vm/*')
  await writeFile(host.file('/run/vm/boot.raw'), bootSector(spec))
  await writeFile(host.file('/run/vm/disk.raw'), disk)
  await writeFile(host.file('/run/vm/vm1.xml'), DOMAIN)
  await host.run('chown $OWNER /run/vm/*')
}

async function flows(host: LibvirtHost, what = /Memory remaining/): Promise<void> {
  await expect
    .poll(() => host.virsh('domjobinfo', 'vm1').catch(() => ''), { timeout: 15_000, interval: 200 })
    .toMatch(what)
}

async function memoryOf(host: LibvirtHost) {
  await host.virsh('suspend', 'vm1')
  const file = '/run/vm/memory'
  const args = { val: 0, size: MEMORY, filename: file }
  const command = JSON.stringify({ execute: 'pmemsave', arguments: args })
  await host.virsh('qemu-monitor-command', 'vm1', command)
  const counts = checkMemory(await readFile(host.file(file)))
  await host.run(`rm ${file}`)
  await host.virsh('resume', 'vm1')
  return counts
}

const DOMAIN = `<domain type='qemu'>
  <name>vm1</name>
  <memory unit='b'>${MEMORY}</memory>
  <vcpu>1</vcpu>
  <os><type arch='x86_64' machine='pc'>hvm</type></os>
  <devices>
    <disk type='file' device='disk'>
      <driver name='qemu' type='raw'/>
      <source file='/run/vm/disk.raw'/>
      <target dev='hda' bus='ide'/>
    </disk>
    <disk type='file' device='disk'>
      <driver name='qemu' type='raw'/>
      <source file='/run/vm/boot.raw'/>
      <target dev='hdc' bus='ide'/>
      <boot order='1'/>
    </disk>
    <serial type='file'><source path='/run/vm/console.log'/></serial>
    <memballoon model='none'/>
  </devices>
</domain>
`
