// Brings a checkout to where everything runs: installs what the lock file names and builds what is newer than dist/.
// Runs on the Node that started npm (20 or newer), imports nothing that must be installed. A second run does nothing.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const installed = join(root, 'node_modules/.kubectl-mig-installed')
const built = join(root, 'dist/.built-from')

const lock = digest(['package-lock.json'])
if (read(installed) !== lock) {
  step('installing (npm ci)', ['ci', '--no-audit', '--no-fund'])
  writeFileSync(installed, lock)
}

const sources = digest([
  'package-lock.json',
  'package.json',
  'tools/build.js',
  ...filesBelow('commands'),
  ...filesBelow('src'),
])
if (read(built) !== sources) {
  step('building (npm run build)', ['run', '--silent', 'build'])
  writeFileSync(built, sources)
}

function step(what, args) {
  process.stderr.write(`${what} …\n`)
  const started = Date.now()
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { status, error } = spawnSync(npm, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (error || status !== 0) {
    process.stderr.write(
      `error: npm ${args.join(' ')} failed${error ? `: ${error.message}` : ''}\n`,
    )
    process.exit(1)
  }
  process.stderr.write(`${what} took ${((Date.now() - started) / 1000).toFixed(1)} s\n`)
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Content, not times: a checkout that git has just written has new times and old content. */
function digest(files) {
  const hash = createHash('sha256')
  for (const file of files.sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => statSync(join(root, name)).isFile())
}
