/**
 * Start-up: `--version` and `status` of the built tool beside a bare node and, where there is one, kubectl, interleaved
 * in one run. `npm run bench:startup [-- ROUNDS]`. Ratios count, not milliseconds: machines are shared.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const rounds = Number(process.argv[2] ?? 15)
const root = fileURLToPath(new URL('..', import.meta.url))
const mig = join(root, 'bin/kubectl-mig')
const scratch = mkdtempSync(join(tmpdir(), 'mig-'))
const env = {
  ...process.env,
  XDG_STATE_HOME: scratch,
  KUBECONFIG: join(scratch, 'kubectl-mig/labs/bench/kubeconfig'),
}
const empty = join(scratch, 'empty.js')
writeFileSync(empty, '')

interface Subject {
  name: string
  argv: string[]
  times: number[]
}

const subjects: Subject[] = [
  subject('node, an empty script', process.execPath, empty),
  subject('kubectl mig --version', process.execPath, mig, '--version'),
  subject('kubectl mig --help', process.execPath, mig, '--help'),
  subject('kubectl mig status', process.execPath, mig, 'status'),
]
if (spawnSync('kubectl', ['version', '--client']).status === 0) {
  subjects.push(subject('kubectl version --client', 'kubectl', 'version', '--client'))
  subjects.push(subject('kubectl get vmim', 'kubectl', 'get', 'vmim'))
}

start(process.execPath, mig, 'lab', 'up', '--name', 'bench', '--detach')
try {
  for (const each of subjects) time(each.argv) // warms caches: compiled code, kubectl's discovery
  for (let round = 0; round < rounds; round++) {
    for (const each of subjects) each.times.push(time(each.argv))
  }
} finally {
  start(process.execPath, mig, 'lab', 'down', '--name', 'bench')
  rmSync(scratch, { recursive: true, force: true })
}

const base = median(subjects[0]!.times)
process.stdout.write(`${'SUBJECT'.padEnd(28)}MEDIAN ms   MIN ms   x BARE NODE\n`)
for (const { name, times } of subjects) {
  const row = [
    median(times).toFixed(0).padStart(9),
    Math.min(...times)
      .toFixed(0)
      .padStart(9),
  ]
  process.stdout.write(
    `${name.padEnd(28)}${row.join('')}${(median(times) / base).toFixed(2).padStart(14)}\n`,
  )
}
process.stdout.write(`${rounds} interleaved rounds, node ${process.versions.node}\n`)

function subject(name: string, ...argv: string[]): Subject {
  return { name, argv, times: [] }
}

function time(argv: string[]): number {
  const started = process.hrtime.bigint()
  start(...argv)
  return Number(process.hrtime.bigint() - started) / 1e6
}

function start(...[command, ...args]: string[]): void {
  const { status, stderr } = spawnSync(command!, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  if (status !== 0) throw new Error(`${[command, ...args].join(' ')} exited ${status}: ${stderr}`)
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1]!
}
