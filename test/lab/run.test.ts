import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { systemClock } from '../../src/clock.ts'
import { connect } from '../../src/cluster/config.ts'
import { create, get, patch } from '../../src/cluster/objects.ts'
import { KUBEVIRTS, MIGRATIONS } from '../../src/kubevirt/resources.ts'
import type { Migration } from '../../src/kubevirt/types.ts'
import { findLabs } from '../../src/lab/state/folder.ts'
import { startOf } from '../../src/lab/state/process.ts'
import { stopLab } from '../../src/lab/state/stop.ts'

const program = fileURLToPath(new URL('../../bin/dev.js', import.meta.url))
let home: string
let env: NodeJS.ProcessEnv
const children: ChildProcess[] = []

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'mig-state-'))
  env = { ...process.env, XDG_STATE_HOME: home, XDG_CACHE_HOME: home, NO_COLOR: '1' }
})
afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL')
  for (const lab of await findLabs(env)) await stopLab(lab, systemClock)
  await rm(home, { recursive: true, force: true })
})

interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

function start(...words: string[]) {
  const child = spawn(process.execPath, [program, 'lab', ...words], { env })
  children.push(child)
  const ran = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => {
    ran.stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    ran.stderr += chunk
  })
  const done = once(child, 'close').then(([code]): Ran => ({ code, ...ran }))
  return { child, ran, done }
}

const lab = (...words: string[]): Promise<Ran> => start(...words).done
const small = ['--nodes', '2', '--vms', '1', '--memory', '1Mi']
const copying = ['--nodes', '2', '--vms', '1', '--memory', '64Mi']
const folder = (name = 'lab') => join(home, 'kubectl-mig/labs', name)

async function record(name = 'lab') {
  return JSON.parse(await readFile(join(folder(name), 'lab.json'), 'utf8'))
}

function answers(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connectSocket(Number(port), hostname)
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
  })
}

async function nothingIsLeft(was: { pid: number; url: string; socketFolder: string }) {
  expect(await startOf(was.pid)).toBeUndefined()
  expect(await answers(was.url)).toBe(false)
  expect(existsSync(was.socketFolder)).toBe(false)
  expect(await readdir(join(home, 'kubectl-mig/labs'))).toEqual([])
}

test('a lab runs in the background, is listed, and is taken down without a trace', async () => {
  const up = await lab('up', '--detach', '--name', 'blue', ...small)
  expect(up).toMatchObject({ code: 0, stderr: '' })
  expect(up.stdout).toContain(`export KUBECONFIG=${folder('blue')}/kubeconfig`)

  const { mode } = await stat(join(folder('blue'), 'kubeconfig'))
  expect(mode & 0o777).toBe(0o600)
  const kubeconfig = parse(await readFile(join(folder('blue'), 'kubeconfig'), 'utf8'))
  expect(kubeconfig['current-context']).toBe('admin')
  expect(kubeconfig.contexts.map((context: { name: string }) => context.name)).toEqual([
    'admin',
    'viewer',
  ])

  const listed = JSON.parse((await lab('list', '-o', 'json')).stdout)
  expect(listed).toMatchObject([{ name: 'blue', state: 'up', record: { nodes: 2, vms: 1 } }])
  const status = await lab('status', '--name', 'blue')
  expect(status.stdout).toContain('nodes       2 of 2 ready')
  expect(status.stdout).toContain('VMs         1 of 1 running')

  const again = await lab('up', '--detach', '--name', 'blue', ...small)
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toContain('error: a lab called "blue" is up already')
  expect(again.stderr).toContain('hint: give another --name')

  const was = await record('blue')
  const down = await lab('down', '--name', 'blue')
  expect(down).toMatchObject({ code: 0, stdout: 'Lab "blue" is down.\n' })
  await nothingIsLeft(was)
}, 60_000)

test('Ctrl-C ends a lab in the foreground, with nothing left', async () => {
  const { child, ran, done } = start('up', ...small)
  await expect.poll(() => ran.stdout, { timeout: 15_000 }).toContain('Ctrl-C ends it.')
  const was = await record()
  child.kill('SIGINT')
  expect((await done).code).toBe(0)
  await nothingIsLeft(was)
}, 30_000)

test('a second Ctrl-C ends it at once, and its files with it', async () => {
  const { child, ran, done } = start('up', ...small)
  await expect.poll(() => ran.stdout, { timeout: 15_000 }).toContain('Ctrl-C ends it.')
  const was = await record()
  child.kill('SIGINT')
  child.kill('SIGINT')
  await done
  await nothingIsLeft(was)
}, 30_000)

test('a second Ctrl-C while it starts leaves nothing either', async () => {
  const { child, done } = start('up', ...small)
  await expect.poll(() => existsSync(join(folder(), 'lab.json')), { timeout: 15_000 }).toBe(true)
  await expect.poll(async () => (await record()).socketFolder, { timeout: 15_000 }).toBeTruthy()
  const was = await record()
  child.kill('SIGINT')
  child.kill('SIGINT')
  expect((await done).code).toBe(130)
  expect(existsSync(folder())).toBe(false)
  expect(existsSync(was.socketFolder)).toBe(false)
}, 30_000)

test('what a start waits for is told when it takes its time, in the background too', async () => {
  const file = join(home, 'long.yaml')
  const spec = { title: 'It takes long', diagnose: 'kubectl mig diagnose', proof: 'true' }
  const head = { apiVersion: 'lab.kubectl-mig.io/v1alpha1', kind: 'Scenario' }
  const until = ['event NeverComes']
  const text = { ...head, metadata: { name: 'long' }, spec: { ...spec, until } }
  await writeFile(file, JSON.stringify(text))
  const { child, ran, done } = start('up', '--detach', ...small, '--scenario', file)
  await expect.poll(() => ran.stderr, { timeout: 30_000 }).toBe('waiting: event NeverComes\n')
  child.kill('SIGINT')
  expect((await done).code).toBe(130)
}, 60_000)

test('a lab goes down while copies are under way', async () => {
  expect((await lab('up', '--detach', ...copying)).code).toBe(0)
  const was = await record()
  const kubeconfigText = await readFile(join(folder(), 'kubeconfig'), 'utf8')
  const admin = await connect({ kubeconfigText, env: {} })
  const slow = { configuration: { migrations: { bandwidthPerMigration: '1Mi' } } }
  const at = { namespace: 'kubevirt', name: 'kubevirt' }
  await patch(admin, KUBEVIRTS, at, { spec: slow }, 'merge')
  const migration = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: 'move' },
    spec: { vmiName: 'vm-1' },
  }
  await create(admin, MIGRATIONS, migration, { namespace: 'default' })
  const phase = async () =>
    (await get<Migration>(admin, MIGRATIONS, { namespace: 'default', name: 'move' })).status?.phase
  await expect.poll(phase, { timeout: 20_000 }).toBe('Running')
  await admin.close()
  expect(await lab('down')).toMatchObject({ code: 0, stdout: 'Lab "lab" is down.\n' })
  await nothingIsLeft(was)
}, 60_000)

test('drafts of labs that died while they took their name are swept up, those of others stay', async () => {
  const labs = dirname(folder())
  const draft = (name: string) => join(labs, name)
  for (const name of ['.new-old', '.new-fresh', '.old-lab-1'])
    await mkdir(draft(name), { recursive: true })
  const dead = { name: 'lab', pid: 2 ** 22 + 1, processStart: 'x' }
  await writeFile(join(draft('.old-lab-1'), 'lab.json'), JSON.stringify(dead))
  const hourAgo = Date.now() / 1000 - 3600
  await utimes(draft('.new-old'), hourAgo, hourAgo)
  expect((await lab('up', '--detach', ...small)).code).toBe(0)
  expect((await readdir(labs)).sort()).toEqual(['.new-fresh', 'lab'])
  await lab('down')
}, 60_000)

test('what a crash leaves is noticed, and cleaned up by the next lab of the name', async () => {
  const { child, ran, done } = start('up', ...small)
  await expect.poll(() => ran.stdout, { timeout: 15_000 }).toContain('Ctrl-C ends it.')
  const was = await record()
  child.kill('SIGKILL')
  await done
  expect(await answers(was.url)).toBe(false)
  const advice =
    'Lab "lab" is dead: its process has ended without cleaning up. To remove what it left: kubectl mig lab down\n'
  const listed = await lab('list')
  expect(listed.stdout).toMatch(/^lab +dead /m)
  expect(listed.stdout).toContain(`\n\n${advice}`)
  expect((await lab('status')).stdout).toContain(advice)

  expect((await lab('up', '--detach', ...small)).code).toBe(0)
  expect(existsSync(was.socketFolder)).toBe(false)
  const now = await record()
  expect(now.pid).not.toBe(was.pid)
  expect((await lab('down')).stdout).toBe('Lab "lab" is down.\n')
  await nothingIsLeft(now)
}, 60_000)

test("another process with a dead lab's number is let alone", async () => {
  const { child } = start('up', ...small)
  await expect.poll(() => existsSync(join(folder(), 'lab.json')), { timeout: 15_000 }).toBe(true)
  const was = await record()
  child.kill('SIGKILL')
  await once(child, 'close')
  const innocent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  children.push(innocent)
  await writeFile(join(folder(), 'lab.json'), JSON.stringify({ ...was, pid: innocent.pid }))
  expect((await lab('down')).stdout).toBe('Lab "lab" was dead already; what it had left is gone.\n')
  expect(innocent.exitCode).toBeNull()
  expect(existsSync(folder())).toBe(false)
}, 30_000)

describe('bad input gets one clear line', () => {
  test.each([
    [['up', '--name', 'Blue!'], 2, `"Blue!" can't be a lab's name`],
    [['up', '--detach', '--memory', 'lots'], 2, '--memory: "lots" is no size'],
    [['up', '--guest', 'qemu', '--memory', '2Mi'], 2, '--memory: "2Mi" is too little or too much'],
    [['up', '--nodes', '0'], 2, 'Expected an integer greater than or equal to 1'],
    [['down'], 9, 'there is no lab called "lab"'],
    [['status', '--name', 'red'], 9, 'there is no lab called "red"'],
  ])('%j', async (words, code, message) => {
    const ran = await lab(...words)
    expect(ran.code).toBe(code)
    expect(ran.stderr.split('\n')[0]).toContain(message)
    expect(ran.stdout).toBe('')
    expect(existsSync(folder())).toBe(false)
  })
})
