/**
 * Streams of random sizes through pairs of proxies, with cuts, stalls, half-closes, ends that leave, certificate changes
 * and killed proxies, all of a fixed seed; every byte is compared. `npm run soak -- --streams N --seed S`.
 * The last line says streams, bytes, faults and lost; a stream that lost anything is named with its plan and the seed.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { MIGRATION_CLIENT_NAME, SERVER_NAME } from '../../src/tls/names.ts'
import { startRotation } from './certificates.ts'
import { type Pair, startPair } from './pair.ts'
import { type End, type Plan, planOf, randomOf } from './plan.ts'
import { HEADER_BYTES, headerOf, idOf, play, type Seen, verdict } from './stream.ts'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    parallel: { type: 'string', default: '16' },
    /** One proxy is killed in so many streams. */
    kills: { type: 'string', default: '1000' },
    'from-source': { type: 'boolean', default: false },
  },
})
const streams = Number(values.streams)
const seed = Number(values.seed)
const STREAM_LIMIT_MS = 60_000
const ROTATE_EVERY_MS = 2500
/** A proxy is itself some 70 MiB, from source 110. */
const LARGEST_MIB = 200

const dir = mkdtempSync(join(tmpdir(), 'soak-'))
const log = join(dir, 'log')
const bin = values['from-source'] ? 'dev.js' : 'kubectl-mig'
const mig = fileURLToPath(new URL(`../../bin/${bin}`, import.meta.url))
const common = { backend: `${dir}/backend`, log, mig }

interface Running {
  plan: Plan
  /** Resolves when it may break off: a proxy was killed while it ran. */
  touched: Promise<void>
  isTouched: boolean
  touch(): void
  /** Resolves when the backend has played its part. */
  backend: Promise<Seen>
  arrived(part: Promise<Seen>): void
}
const running = new Map<number, Running>()
const totals = { bytes: 0, faults: 0, lost: 0 }
let next = 0

const rotation = await startRotation(dir)
const backend = createServer({ allowHalfOpen: true }, (socket) => void serve(socket))
await new Promise<void>((resolve) => backend.listen(`${dir}/backend`, resolve))
for (const name of ['tls', 'plain']) mkdirSync(`${dir}/${name}`)
const pairs: Record<Plan['pair'], Pair> = {
  tls: startPair({ ...common, certificates: dir, baseDir: `${dir}/tls` }),
  plain: startPair({ ...common, baseDir: `${dir}/plain` }),
}
await Promise.all([pairs.tls.file(), pairs.plain.file()])
const rotating = new AbortController()
void rotate().catch(() => {})
const progress = setInterval(async () => {
  const usage = (await Promise.all(Object.values(pairs).map((pair) => pair.usage()))).flat()
  console.log(`${next} of ${streams} streams; MiB ${usage.map(({ mib }) => mib).join(', ')}`)
}, 10_000)

try {
  await Promise.all(Array.from({ length: Number(values.parallel) }, runStreams))
  rotating.abort()
  await reportUsage()
} finally {
  rotating.abort()
  clearInterval(progress)
  await Promise.all([pairs.tls.close(), pairs.plain.close()])
  backend.close()
}
if (totals.lost === 0) rmSync(dir, { recursive: true, force: true })
else console.log(`seed ${seed}; the proxies' log is ${log}`)
const { bytes, faults, lost } = totals
console.log(`streams ${streams}, bytes ${bytes}, faults ${faults}, lost ${lost}`)
process.exitCode = lost === 0 ? 0 : 1

async function runStreams(): Promise<void> {
  const kills = randomOf(seed)
  while (next < streams) {
    const plan = planOf(seed, next++)
    if (plan.id > 0 && plan.id % Number(values.kills) === 0) await killOne(kills)
    await runStream(plan)
  }
}

/** The next change comes when both sides have taken up this one: sooner, they would rightly refuse each other. */
async function rotate(): Promise<void> {
  const { signal } = rotating
  for (;;) {
    await delay(ROTATE_EVERY_MS, undefined, { signal })
    totals.faults++
    const before = statSync(log).size
    await rotation.next()
    while (![SERVER_NAME, MIGRATION_CLIENT_NAME].every((name) => isTakenUp(name, before))) {
      await delay(200, undefined, { signal })
    }
  }
}

/** Each side logs the certificate that it presents whenever one of its files has changed. */
function isTakenUp(name: string, since: number): boolean {
  return readFileSync(log).includes(`certificate with common name '${name}' retrieved`, since)
}

async function killOne(random: () => number): Promise<void> {
  totals.faults++
  const name = random() < 0.8 ? 'tls' : 'plain'
  const touch = () => {
    for (const stream of running.values()) if (stream.plan.pair === name) stream.touch()
  }
  touch()
  await pairs[name].kill(random() < 0.5 ? 'target' : 'source')
  touch()
}

async function runStream(plan: Plan): Promise<void> {
  if (plan.fault !== 'none') totals.faults++
  const file = await pairs[plan.pair].file()
  const stream = newRunning(plan)
  running.set(plan.id, stream)
  const seen: Partial<Record<End, Seen>> = {}
  const limit = timeLimit()
  try {
    const socket = await dial(file)
    if (!socket) {
      // The proxy was killed between its start and now.
      stream.touch()
      return
    }
    socket.write(headerOf(plan.id))
    seen.client = await Promise.race([
      play(socket, 'client', plan, seed, Buffer.alloc(0)),
      limit.over,
    ])
    // Who was cut off may never have got as far as the backend.
    if (plan.fault === 'cut client') stream.touch()
    const broken = stream.touched.then(soon)
    const backend = await Promise.race([stream.backend, broken, limit.over])
    if (backend) seen.backend = backend
    const bad = verdict(plan, seen, stream.isTouched)
    if (bad) lose(plan, bad)
    totals.bytes += (seen.client?.received ?? 0) + (seen.backend?.received ?? 0)
  } catch (err) {
    lose(plan, (err as Error).message)
  } finally {
    limit.clear()
    running.delete(plan.id)
  }
}

function newRunning(plan: Plan): Running {
  const backend = Promise.withResolvers<Seen>()
  const touched = Promise.withResolvers<void>()
  return {
    plan,
    touched: touched.promise,
    isTouched: false,
    touch() {
      this.isTouched = true
      touched.resolve()
    },
    backend: backend.promise,
    arrived: backend.resolve,
  }
}

function soon(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), 1000))
}

function lose(plan: Plan, what: string): void {
  totals.lost++
  console.log(`seed ${seed}, stream ${plan.id}: ${what}; ${JSON.stringify(plan)}`)
}

/** The backend's end: reads which stream it is, then plays its part. */
async function serve(socket: Socket): Promise<void> {
  socket.on('error', () => {})
  let early = Buffer.alloc(0)
  while (early.length < HEADER_BYTES) {
    const chunk: Buffer | null = socket.read()
    if (chunk) early = Buffer.concat([early, chunk])
    else if (socket.readableEnded || socket.destroyed) return void socket.destroy()
    else await new Promise((resolve) => socket.once('readable', resolve).once('close', resolve))
  }
  const stream = running.get(idOf(early))
  if (!stream) return void socket.destroy()
  stream.arrived(play(socket, 'backend', stream.plan, seed, early.subarray(HEADER_BYTES)))
}

function dial(file: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path: file, allowHalfOpen: true }, () => resolve(socket))
    socket.on('error', () => resolve(undefined))
  })
}

function timeLimit(): { over: Promise<never>; clear(): void } {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it hangs')), STREAM_LIMIT_MS)
  })
  over.catch(() => {})
  return { over, clear: () => clearTimeout(timer) }
}

/** After the last stream every descriptor must be back, and memory where it was. */
async function reportUsage(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 2000))
  for (const [name, pair] of Object.entries(pairs)) {
    for (const [i, { leaked, mib }] of (await pair.usage()).entries()) {
      const who = `${name} ${i === 0 ? 'target' : 'source'}`
      console.log(`${who}: ${mib} MiB, descriptors left open ${leaked}`)
      if (leaked > 0 || mib > LARGEST_MIB) {
        totals.lost++
        console.log(`${who} leaks`)
      }
    }
  }
}
