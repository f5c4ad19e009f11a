/**
 * The lab: how long it takes to start, and how fast it moves a guest of 1 GiB, beside a bare copy of 1 GiB through one
 * TLS socket pair between two threads, in the same run. `npm run bench:lab [-- ROUNDS]`. Ratios count, not seconds:
 * machines are shared.
 */
import { once } from 'node:events'
import { connect as dialTls } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../src/clock.ts'
import { create, get, list } from '../src/cluster/objects.ts'
import { handlerMetricsPath, LAB_COPY_METRICS, parseMetrics } from '../src/kubevirt/metrics.ts'
import { isFinal, phaseOf } from '../src/kubevirt/migration.ts'
import { MIGRATIONS, PODS } from '../src/kubevirt/resources.ts'
import type { Migration, Pod } from '../src/kubevirt/types.ts'
import { type Lab, startLab } from '../src/lab/lab.ts'
import { handlerCertificates } from '../src/lab/node/certificates.ts'

const rounds = Number(process.argv[2] ?? 3)
const BYTES = 2 ** 30

/** The other end of the bare copy. */
const RECEIVER = `
const { parentPort, workerData } = require('node:worker_threads')
const { ca, cert, key, bytes } = workerData
const server = require('node:tls').createServer({ ca, cert, key, requestCert: true }, (socket) => {
  let left = bytes
  socket.on('data', (chunk) => {
    left -= chunk.length
    if (left <= 0) parentPort.postMessage('all')
  })
  socket.on('error', () => {})
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

const starts: number[] = []
for (let i = 0; i < rounds; i++) {
  const began = performance.now()
  const lab = await startLab({
    name: 'bench',
    nodes: 3,
    vms: 4,
    guest: 'synthetic',
    clock: systemClock,
  })
  starts.push(performance.now() - began)
  await lab.close()
}
console.log(`start, 3 nodes and 4 VMs of 64 MiB   ${seconds(starts)}`)

const lab = await startLab({
  name: 'bench',
  nodes: 2,
  vms: 1,
  memory: '1Gi',
  guest: 'synthetic',
  clock: systemClock,
})
// The target's memory is fresh from the system the first time, used after that.
const first = await move(lab)
const bare: number[] = []
const moved: number[] = []
for (let i = 0; i < rounds; i++) {
  bare.push(await bareCopy())
  moved.push(await move(lab))
}
console.log(`bare copy of 1 GiB over TLS          ${seconds(bare)}   ${rate(bare)}`)
console.log(`VM of 1 GiB, from create to the end  ${seconds(moved)}   ${rate(moved)}`)
console.log(`the same, the first time             ${seconds([first])}`)
console.log(`ratio of the medians                 ${(median(moved) / median(bare)).toFixed(2)}`)
await reportDowntimes(lab)
await lab.close()

async function move({ connect }: Lab): Promise<number> {
  const admin = await connect('admin')
  const began = performance.now()
  const migration = await create<Migration>(
    admin,
    MIGRATIONS,
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { generateName: 'bench-', namespace: 'default' },
      spec: { vmiName: 'vm-1' },
    },
    { namespace: 'default' },
  )
  const { name } = migration.metadata
  let now = migration
  while (!isFinal(now)) {
    await systemClock.sleep(20)
    now = await get<Migration>(admin, MIGRATIONS, { namespace: 'default', name })
  }
  const took = performance.now() - began
  await admin.close()
  if (phaseOf(now) !== 'Succeeded') throw new Error(`the migration ended as ${phaseOf(now)}`)
  return took
}

/** One thread sends, another receives and counts. */
async function bareCopy(): Promise<number> {
  const { ca, certificates } = await handlerCertificates(systemClock.now())
  const receiver = new Worker(RECEIVER, {
    eval: true,
    workerData: { ca, ...certificates.server, bytes: BYTES },
  })
  const [port] = (await once(receiver, 'message')) as [number]
  const socket = dialTls({
    port,
    host: '127.0.0.1',
    ca,
    ...certificates.client,
    checkServerIdentity: () => undefined,
  })
  await once(socket, 'secureConnect')
  const block = Buffer.alloc(2 ** 20, 7)
  const began = performance.now()
  for (let sent = 0; sent < BYTES; sent += block.length) {
    if (!socket.write(block)) await once(socket, 'drain')
  }
  await once(receiver, 'message')
  const took = performance.now() - began
  socket.destroy()
  await receiver.terminate()
  return took
}

async function reportDowntimes({ connect }: Lab): Promise<void> {
  const admin = await connect('admin')
  const handlers = await list<Pod>(admin, PODS, {
    namespace: 'kubevirt',
    labelSelector: 'kubevirt.io=virt-handler',
  })
  const names = new Set<string>([LAB_COPY_METRICS.downtimeSeconds, LAB_COPY_METRICS.verified])
  const texts = await Promise.all(
    handlers.items.map(({ metadata }) =>
      admin.text({ path: handlerMetricsPath('kubevirt', metadata.name) }),
    ),
  )
  const samples = texts.flatMap((text) => parseMetrics(text, names))
  const of = (name: string) => samples.filter((s) => s.name === name).map(({ value }) => value)
  const equal = of(LAB_COPY_METRICS.verified).filter((value) => value === 1).length
  const downtimes = of(LAB_COPY_METRICS.downtimeSeconds).map((value) => value * 1000)
  console.log(`downtime, checksums and all          ${seconds(downtimes)}`)
  console.log(`checksums equal                      ${equal} of ${rounds + 1}`)
  await admin.close()
}

function seconds(times: number[]): string {
  return `${(median(times) / 1000).toFixed(2)} s (${(Math.min(...times) / 1000).toFixed(2)} at best)`
}

function rate(times: number[]): string {
  return `${((BYTES / 2 ** 20 / median(times)) * 1000).toFixed(0)} MiB/s`
}

function median(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
