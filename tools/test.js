// Runs all tests: the vitest suites, then the replay of recorded traces; with arguments only the suites whose paths hold
// one of them. On the Node that this file is run on. The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBinaries } from '../src/lab/real-api/binaries.ts'

/** What tests need that npm does not bring, and where it comes from. */
const PROGRAMS = {
  'https://kubernetes.io/docs/tasks/tools': ['kubectl'],
  'test/e2e/install-real-parts.sh, as root':
    'qemu-system-x86_64 libvirtd virsh nasm ip ss nft openssl setpriv'.split(' '),
}

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'kubectl-mig-test-'))

const filters = process.argv.slice(2)
let counts
try {
  counts = [suites(), ...(filters.length === 0 ? [traces()] : [])]
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
const sum = (key) => counts.reduce((total, count) => total + count[key], 0)
const skipped = sum('skipped')
if (skipped > 0) for (const line of await missing()) process.stdout.write(`${line}\n`)
process.stdout.write(
  `${sum('passed')} passed, ${sum('failed')} failed${skipped ? `, ${skipped} skipped` : ''}\n`,
)
process.exitCode = sum('failed') === 0 ? 0 : 1

function suites() {
  const report = join(scratch, 'vitest.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = node([bin('vitest'), 'run', ...reporters, ...filters], 'inherit')
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 }
  const result = JSON.parse(readFileSync(report, 'utf8'))
  const failed = result.numFailedTests
  for (const { assertionResults } of result.testResults)
    for (const { status, fullName } of assertionResults)
      if (status !== 'passed' && status !== 'failed') process.stdout.write(`skipped: ${fullName}\n`)
  return {
    passed: result.numPassedTests,
    // A file that could not be loaded has no failed test, and still the run has failed.
    failed: status !== 0 && failed === 0 ? 1 : failed,
    skipped: result.numPendingTests + result.numTodoTests,
  }
}

function traces() {
  const { status, stdout } = node(['test/traces/replay.ts'], ['ignore', 'pipe', 'inherit'])
  const text = stdout.toString()
  process.stdout.write(text)
  const last = /(\d+) passed, (\d+) failed\s*$/.exec(text)
  if (!last) return { passed: 0, failed: 1, skipped: 0 }
  const failed = Number(last[2])
  return { passed: Number(last[1]), failed: status !== 0 && failed === 0 ? 1 : failed, skipped: 0 }
}

/** Why tests were skipped, and what to do about it. */
async function missing() {
  const lines = Object.entries(PROGRAMS).flatMap(([origin, programs]) => {
    const absent = programs.filter((program) => !isOnPath(program))
    return absent.length > 0 ? [`not here: ${absent.join(', ')} (${origin})`] : []
  })
  if (!(await findBinaries(process.env)))
    lines.push('not here: kube-apiserver, etcd (test/e2e/build-kube-apiserver.sh)')
  if (process.getuid?.() !== 0) lines.push('not root: no namespaces, no userfaultfd')
  return lines
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function node(args, stdio) {
  // What tests start as "node" is this one too.
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  const env = { ...process.env, PATH }
  return spawnSync(process.execPath, args, { cwd: root, stdio, env, maxBuffer: 64 << 20 })
}

/** The script behind a package's command: node_modules/.bin holds links here, but shims elsewhere. */
function bin(name) {
  const folder = join(root, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[name])
}
