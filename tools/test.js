// Runs all tests: the vitest suites, then the replay of recorded traces. The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'kubectl-mig-test-'))

let counts
try {
  counts = [suites(), ...(existsSync(join(root, 'test/traces/replay.ts')) ? [traces()] : [])]
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
const sum = (key) => counts.reduce((total, count) => total + count[key], 0)
const skipped = sum('skipped')
process.stdout.write(
  `${sum('passed')} passed, ${sum('failed')} failed${skipped ? `, ${skipped} skipped` : ''}\n`,
)
process.exitCode = sum('failed') === 0 ? 0 : 1

function suites() {
  const report = join(scratch, 'vitest.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = node([bin('vitest'), 'run', ...reporters], 'inherit')
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 }
  const result = JSON.parse(readFileSync(report, 'utf8'))
  const failed = result.numFailedTests
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

function node(args, stdio) {
  return spawnSync(process.execPath, args, { cwd: root, stdio, maxBuffer: 64 << 20 })
}

/** The script behind a package's command: node_modules/.bin holds links here, but shims elsewhere. */
function bin(name) {
  const folder = join(root, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[name])
}
