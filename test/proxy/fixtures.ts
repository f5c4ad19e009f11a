import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import type { ProxyRecord } from '../../src/proxy/log.ts'
import {
  createProxyManager,
  type ProxyManager,
  type ProxyManagerOptions,
} from '../../src/proxy/manager.ts'
import type { ProxyTls } from '../../src/proxy/tls.ts'

export async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'mig-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

export interface TestManager extends ProxyManager {
  records: ProxyRecord[]
}

/** A manager on loopback, closed at the end of the test. */
export function testManager(
  tls: ProxyTls | 'disabled',
  options: Partial<ProxyManagerOptions> = {},
): TestManager {
  const records: ProxyRecord[] = []
  const manager = createProxyManager({
    bind: '127.0.0.1',
    tls: () => tls,
    clock: systemClock,
    log: (record) => records.push(record),
    ...options,
  })
  onTestFinished(() => manager.close())
  return Object.assign(manager, { records })
}

/** A unix server, closed with all its connections at the end of the test. */
export async function unixServer(
  file: string,
  onConnection: (socket: Socket) => void,
): Promise<Server> {
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(file, resolve))
  onTestFinished(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return server
}

/** Sends back what it gets. */
export function echo(socket: Socket): void {
  socket.pipe(socket)
}

export function unixClient(file: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: file, allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject).on('error', () => {})
      resolve(socket)
    })
  })
}

/** Both ends of a unix connection; the second is the accepted one. */
export async function unixPair(file: string): Promise<[Socket, Socket]> {
  const accepted = new Promise<Socket>((resolve) => void unixServer(file, resolve))
  await until(() => existsSync(file))
  return [await unixClient(file), await accepted]
}

/** A port on loopback that lets nobody in and tells nobody why: its listener's queue is full and nobody serves it. */
export async function blackHole(): Promise<number> {
  const script = `const s = require('net').createServer().listen({port: 0, host: '127.0.0.1', backlog: 1}, () => {
    require('fs').writeSync(1, s.address().port + '\\n'); process.kill(process.pid, 'SIGSTOP') })`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [line] = await once(child.stdout, 'data')
  const port = Number(line)
  const queued = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  onTestFinished(async () => {
    for (const socket of queued) socket.destroy()
    child.kill('SIGKILL')
    await exited
  })
  await until(() => queued.filter(({ connecting }) => !connecting).length >= 2)
  return port
}

/** All bytes until the end of the stream or the close. */
export async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await new Promise((resolve) => socket.once('end', resolve).once('close', resolve))
  return Buffer.concat(chunks)
}

export function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export { randomBytes }

export function commandExists(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0
}

/** Waits for a condition; the test's own time limit ends it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** A target before `backend` and a source before that target, and the source's socket. */
export async function proxyPair(
  tls: ProxyTls | 'disabled',
  backend: (socket: Socket) => void,
  options: Partial<ProxyManagerOptions> = {},
): Promise<{ target: TestManager; source: TestManager; file: string; dir: string }> {
  const dir = await tempDir()
  await unixServer(join(dir, 'backend'), backend)
  const target = testManager(tls, options)
  const source = testManager(tls, options)
  await target.startTargetListener('uid', [join(dir, 'backend')])
  await source.startSourceListener('uid', '127.0.0.1', target.targetListenerPorts('uid'), dir)
  return { target, source, file: source.sourceListenerFiles('uid')[0]!, dir }
}
