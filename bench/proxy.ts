/**
 * The migration proxy beside what else can carry a unix socket over TLS, where installed (haproxy, nginx, stunnel,
 * socat): throughput and processor time of a pair of proxies, interleaved in one run, every byte checked.
 * `npm run bench:proxy [-- --rounds N --mib N --only NAME,… --over tls,plain --connections 1,4,16]`.
 * Ratios count, not MiB/s: machines are shared.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createAuthority } from '../src/lab/certificates.ts'
import { MIGRATION_CLIENT_NAME, SERVER_NAME } from '../src/tls/names.ts'
import { BLOCK_BYTES, check, generate } from './proxy/load.ts'
import { PEERS, type Wiring } from './proxy/peers.ts'
import { type Usage, usageOf } from './proxy/usage.ts'

/** No step of a measurement takes so long. */
const LIMIT_MS = 60_000

/** Aborted by Ctrl-C or a termination: what was started is in process groups of its own, and would run on. */
const interrupted = new AbortController()

const [role, ...rest] = process.argv.slice(2)
if (role === 'generate') generate(rest[0]!, Number(rest[1]), Number(rest[2]))
else if (role === 'check') check(rest[0]!, Number(rest[1]), Number(rest[2]))
else await bench()

interface Sample {
  mibPerSecond: number
  cpuPerGib: number
  peakMib: number
}

async function bench(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      mib: { type: 'string', default: '1024' },
      only: { type: 'string' },
      over: { type: 'string', default: 'tls,plain' },
      connections: { type: 'string', default: '1,4,16' },
    },
  })
  const rounds = Number(values.rounds)
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort())
  const dir = mkdtempSync(join(tmpdir(), 'mig-bench-'))
  try {
    await writeCertificates(dir)
    for (const over of values.over.split(',')) {
      const tls = over === 'tls'
      const contenders = ['ours', ...PEERS.map(({ name }) => name)].filter((name) => {
        if (values.only && !values.only.split(',').includes(name)) return false
        const missing = PEERS.find((peer) => peer.name === name)?.missing({ tls })
        if (missing) console.log(`${name} is left out: ${missing}`)
        return !missing
      })
      for (const connections of values.connections.split(',').map(Number)) {
        const samples = new Map<string, Sample[]>(contenders.map((name) => [name, []]))
        for (let round = 0; round < rounds; round++) {
          for (const [name, taken] of samples) {
            const mib = Number(values.mib)
            const sample = await measure({ dir, name, tls, connections, mib }).catch((err) => {
              if (name === 'ours' || interrupted.signal.aborted) throw err
              console.log(`${err.message}: left out from here on, ${err.cause}`)
            })
            if (sample) taken.push(sample)
            else samples.delete(name)
          }
        }
        printTable(tls, connections, samples)
      }
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

interface Measurement {
  dir: string
  name: string
  tls: boolean
  connections: number
  mib: number
}

async function measure({ dir, name, tls, connections, mib }: Measurement): Promise<Sample> {
  const run = mkdtempSync(`${dir}/run-`)
  const sink = `${run}/sink`
  const blocks = Math.floor((mib * 2 ** 20) / BLOCK_BYTES / connections)
  const load = [String(connections), String(blocks)]
  const processes: ChildProcess[] = []
  try {
    const checker = spawnRole(['check', sink, ...load], processes)
    await message(checker, 'ready')
    const { proxies, source } = await startPair(name, { dir, run, tls, sink }, processes)
    const generator = spawnRole(['generate', source, ...load], processes)
    await message(generator, 'ready')
    const before = proxies.map(({ pid }) => usageOf(pid!))
    const began = performance.now()
    generator.send('go')
    await message(checker, 'done')
    const seconds = (performance.now() - began) / 1000
    const after = proxies.map(({ pid }) => usageOf(pid!))
    return sampleOf(blocks * connections * BLOCK_BYTES, seconds, before, after)
  } catch (cause) {
    throw new Error(`${name}, ${tls ? 'TLS' : 'plain'}, ${connections} connections`, { cause })
  } finally {
    // The load first: to it, a proxy that goes is an error.
    for (const child of processes.toReversed()) await end(child)
    rmSync(run, { recursive: true, force: true })
  }
}

function sampleOf(bytes: number, seconds: number, before: Usage[], after: Usage[]): Sample {
  const cpu = after.reduce((sum, usage, i) => sum + usage.cpu - before[i]!.cpu, 0)
  return {
    mibPerSecond: bytes / 2 ** 20 / seconds,
    cpuPerGib: cpu / (bytes / 2 ** 30),
    peakMib: Math.max(...after.map(({ peakMib }) => peakMib)),
  }
}

/** Starts target and source. @returns both, and the socket in front of the source */
async function startPair(
  name: string,
  { dir, run, tls, sink }: { dir: string; run: string; tls: boolean; sink: string },
  processes: ChildProcess[],
): Promise<{ proxies: ChildProcess[]; source: string }> {
  if (name === 'ours') {
    const pem = (...names: string[]) => names.flatMap((n) => [`--${n}`, `${dir}/${n}.pem`])
    const own = (side: string) =>
      tls ? pem('ca', `${side}-cert`, `${side}-key`) : ['--disable-tls']
    const target = spawnOurs(
      ['target', '--key', 'k', '--unix', `0=${sink}`, '--bind', '127.0.0.1', ...own('server')],
      processes,
    )
    const map = await firstLine(target)
    const to = ['--target', '127.0.0.1', '--port-map', map, '--base-dir', run]
    const source = spawnOurs(['source', '--key', 'k', ...to, ...own('client')], processes)
    const [file] = JSON.parse(await firstLine(source))
    return { proxies: [target, source], source: file }
  }
  const wiring: Wiring = { dir, tls, sink, source: `${run}/source`, port: await freePort() }
  const argv = PEERS.find((peer) => peer.name === name)!.argv(wiring)
  const target = spawnGroup(argv.target, processes)
  const source = spawnGroup(argv.source, processes)
  const deadline = Date.now() + LIMIT_MS
  while (!existsSync(wiring.source) || !(await isOpen(wiring.port))) {
    if (target.exitCode !== null || source.exitCode !== null || Date.now() > deadline) {
      throw new Error('it did not start')
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { proxies: [target, source], source: wiring.source }
}

function spawnOurs(args: string[], processes: ChildProcess[]): ChildProcess {
  const mig = fileURLToPath(new URL('../bin/kubectl-mig', import.meta.url))
  return spawnGroup([process.execPath, mig, 'proxy', ...args], processes)
}

/** A process group of its own: nginx and socat have children. */
function spawnGroup([command, ...args]: string[], processes: ChildProcess[]): ChildProcess {
  const child = spawn(command!, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  processes.push(child)
  return child
}

function spawnRole(args: string[], processes: ChildProcess[]): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  processes.push(child)
  return child
}

async function end(child: ChildProcess): Promise<void> {
  const exited =
    child.exitCode !== null || child.signalCode !== null ? undefined : once(child, 'exit')
  try {
    process.kill(-child.pid!, 'SIGKILL')
  } catch {
    // The whole group has ended by itself.
  }
  await exited
}

async function message(child: ChildProcess, expected: string): Promise<void> {
  const limit = AbortSignal.any([interrupted.signal, AbortSignal.timeout(LIMIT_MS)])
  const [got] = await Promise.race([
    once(child, 'message', { signal: limit }),
    once(child, 'exit', { signal: limit }),
  ])
  if (got !== expected) throw new Error(`"${expected}" did not come; exit code ${got}`)
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [text] = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])
  if (typeof text === 'number') throw new Error(`it ended with ${text}`)
  return String(text).trim()
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Whether someone listens; without connecting, which would reach the sink. */
async function isOpen(port: number): Promise<boolean> {
  const probe = createServer()
  const free = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  if (free) await new Promise((resolve) => probe.close(resolve))
  return !free
}

async function writeCertificates(dir: string): Promise<void> {
  const dates = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 86_400_000 }
  const authority = await createAuthority('kubevirt.io@bench', dates)
  writeFileSync(`${dir}/ca.pem`, authority.cert)
  for (const [name, commonName] of [
    ['server', SERVER_NAME],
    ['client', MIGRATION_CLIENT_NAME],
  ] as const) {
    const { cert, key } = await authority.issue({
      commonName,
      usage: [name],
      names: ['virt-handler'],
      ...dates,
    })
    writeFileSync(`${dir}/${name}-cert.pem`, cert)
    writeFileSync(`${dir}/${name}-key.pem`, key, { mode: 0o600 })
    writeFileSync(`${dir}/${name}.pem`, `${cert}\n${key}\n`, { mode: 0o600 })
  }
}

function printTable(tls: boolean, connections: number, samples: Map<string, Sample[]>): void {
  const rows = [...samples].map(([name, all]) => ({
    name,
    mibPerSecond: median(all.map((s) => s.mibPerSecond)),
    cpuPerGib: median(all.map((s) => s.cpuPerGib)),
    peakMib: Math.max(...all.map((s) => s.peakMib)),
  }))
  const base = rows.find(({ name }) => name === 'haproxy')
  console.log(
    `\n${tls ? 'TLS' : 'plain'}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`,
  )
  console.log('PROXY     MiB/s  of haproxy  CPU s/GiB  of haproxy  PEAK MiB')
  for (const row of rows) {
    const [rate, cpu] = base
      ? [row.mibPerSecond / base.mibPerSecond, row.cpuPerGib / base.cpuPerGib].map((r) =>
          r.toFixed(2),
        )
      : ['-', '-']
    console.log(
      [
        row.name.padEnd(8),
        row.mibPerSecond.toFixed(0).padStart(6),
        rate!.padStart(10),
        row.cpuPerGib.toFixed(2).padStart(10),
        cpu!.padStart(10),
        row.peakMib.toFixed(0).padStart(9),
      ].join(' '),
    )
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}
