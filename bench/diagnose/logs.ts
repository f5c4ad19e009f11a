import { spawn } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MIB = 1024 ** 2
const mig = fileURLToPath(new URL('../../bin/kubectl-mig', import.meta.url))

/**
 * How fast `diagnose --from` reads so many MiB of logs and how much memory it takes, beside reading the file and doing
 * nothing; and how fast YAML is read, as a must-gather has it. Wanted: 200 MiB/s of log or more within 150 MiB.
 * @returns whether it is so
 */
export async function benchLogs(size: number): Promise<boolean> {
  const scratch = mkdtempSync(join(tmpdir(), 'mig-'))
  const log = join(scratch, 'virt-handler.log')
  try {
    writeLog(log, size * MIB)
    const bare = read(log)
    const { seconds, peakMiB, status, code } = await diagnose(log)
    const rate = size / seconds
    const rows = [
      ['reading alone', `${(size / bare).toFixed(0)} MiB/s`],
      ['diagnose', `${rate.toFixed(0)} MiB/s, ${seconds.toFixed(1)} s for ${size} MiB`],
      ['peak memory', peakMiB === undefined ? 'unknown (no /proc)' : `${peakMiB.toFixed(0)} MiB`],
      ['verdict', `${code}, exit ${status}`],
      ['pods in YAML', await yamlRate(join(scratch, 'pods.yaml'))],
    ]
    for (const [name, value] of rows) process.stdout.write(`${name!.padEnd(16)}${value}\n`)
    const good = rate >= 200 && (peakMiB ?? 0) <= 150
    process.stdout.write(
      good ? 'within 200 MiB/s and 150 MiB\n' : 'NOT within 200 MiB/s and 150 MiB\n',
    )
    return good
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Mostly lines of daily life, now and then one of a migration's progress, in the end what went wrong. */
function writeLog(path: string, bytes: number): void {
  const file = openSync(path, 'w')
  const uid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const line = (n: number) =>
    n % 997 === 0
      ? `{"component":"virt-launcher","level":"info","msg":"Migration info for ${uid(1)}: TimeElapsed:${n}ms DataProcessed:${n}MiB DataRemaining:2350MiB DataTotal:24597MiB MemoryBandwidth:380Mbps DirtyRate:410Mbps Iteration:80","name":"vm-a","namespace":"demo","timestamp":"2026-01-01T10:02:00.000000Z","uid":"${uid(2)}"}\n`
      : `{"component":"virt-handler","kind":"VirtualMachineInstance","level":"info","msg":"VMI is in phase: Running | Domain status: Running, reason: Unknown","name":"vm-${n % 50}","namespace":"demo","pos":"vm.go:${n % 2000}","timestamp":"2026-01-01T10:02:00.${String(n % 1_000_000).padStart(6, '0')}Z","uid":"${uid(n % 50)}"}\n`
  try {
    for (let written = 0, n = 1; written < bytes; ) {
      let chunk = ''
      for (const end = n + 4000; n < end; n++) chunk += line(n)
      written += writeSync(file, chunk)
    }
    writeSync(
      file,
      `{"component":"virt-launcher","level":"error","msg":"Aborting migration: stuck for 151 seconds","name":"vm-a","namespace":"demo","timestamp":"2026-01-01T10:12:00.000000Z","uid":"${uid(2)}"}\n`,
    )
  } finally {
    closeSync(file)
  }
}

/** How fast a list of pods of other people is read, start of the process included. */
async function yamlRate(path: string): Promise<string> {
  const pod = (n: number) =>
    `- apiVersion: v1\n  kind: Pod\n  metadata:\n    labels:\n      app: a-${n % 50}\n    name: a-${n}\n    namespace: demo\n  spec:\n    containers:\n    - args:\n      - --v=2\n      env:\n${`      - name: X\n        value: "some value"\n`.repeat(20)}      image: registry/a@sha256:0000\n      name: main\n      resources:\n        requests:\n          cpu: 10m\n          memory: 50Mi\n    nodeName: node-${n % 20}\n  status:\n    phase: Running\n`
  const migration =
    '- {kind: VirtualMachineInstanceMigration, metadata: {name: m, namespace: demo}, spec: {vmiName: a}, status: {phase: Failed}}\n'
  const items = Array.from({ length: 30_000 }, (_, n) => pod(n)).join('')
  const text = `apiVersion: v1\nkind: List\nitems:\n${items}${migration}`
  writeFileSync(path, text)
  const { seconds } = await diagnose(path)
  const mib = text.length / MIB
  return `${(mib / seconds).toFixed(0)} MiB/s, ${seconds.toFixed(1)} s for ${mib.toFixed(0)} MiB`
}

/** Seconds to read the file and do nothing, which also warms the page cache for the run that counts. */
function read(path: string): number {
  const file = openSync(path, 'r')
  const memory = Buffer.alloc(256 * 1024)
  const started = performance.now()
  while (readSync(file, memory) > 0);
  closeSync(file)
  return (performance.now() - started) / 1000
}

async function diagnose(path: string) {
  const started = performance.now()
  const child = spawn(process.execPath, [mig, 'diagnose', '--from', path, '-o', 'json'])
  let out = ''
  let peak = 0
  child.stdout.on('data', (data) => {
    out += data
  })
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid))
  }, 20)
  const status = await new Promise<number | null>((done) => child.on('close', done))
  clearInterval(watch)
  const seconds = (performance.now() - started) / 1000
  return {
    seconds,
    status,
    code: JSON.parse(out).verdict.code as string,
    ...(peak > 0 && { peakMiB: peak / 1024 }),
  }
}

/** The most memory that a process has held so far, in KiB; 0 where the system does not tell. */
function peakOf(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
