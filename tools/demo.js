// The demonstration: a lab in the background, one VM moved over mutual TLS, status and ports, everything cleaned up.
// Each command is printed as a person would type it and run as printed; the first that fails ends the demo with its code.
// On the Node that this file is run on; `--api kube-apiserver` has the lab run on a real API server.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
// A state folder of its own: the demo never meets the labs that a user has running.
const state = mkdtempSync(join(tmpdir(), 'mig-'))
const env = {
  ...process.env,
  XDG_STATE_HOME: state,
  KUBECONFIG: join(state, 'kubectl-mig/labs/demo/kubeconfig'),
  PATH: [
    join(root, 'bin'),
    dirname(process.execPath),
    join(root, 'node_modules/.bin'),
    process.env.PATH,
  ].join(delimiter),
}
const up = ['kubectl-mig lab up --name demo --detach', ...process.argv.slice(2)].join(' ')
const started = Date.now()
let child
let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true
    child?.kill(signal)
  })
}
// Who reads may leave, as `| head` does. The demo ends there, and leaves nothing all the same.
process.stdout.on('error', () => {
  interrupted = true
})

const steps = [
  [up],
  [
    'kubectl-mig migrate vm-1',
    'the VM moves: control and memory through the migration proxies, over mutual TLS',
  ],
  ['kubectl-mig status vm-1', 'where it is, and how long each step took'],
  ['kubectl-mig ports vm-1', 'which port carried what'],
  ['kubectl-mig migrate vm-2 vm-3', 'two more at once'],
  ['kubectl-mig status', 'all migrations of the namespace'],
  ['kubectl-mig diagnose vm-1', 'and whether anything is wrong'],
]

let code = 0
try {
  for (const [command, comment] of steps) {
    code = await run(command, comment)
    if (code !== 0 || interrupted) break
  }
} finally {
  const down = await run('kubectl-mig lab down --name demo', 'and nothing is left')
  rmSync(state, { recursive: true, force: true })
  code ||= down
}
if (code === 0) {
  process.stdout.write(
    `\nThe demo took ${((Date.now() - started) / 1000).toFixed(1)} s. Next: README.md, "Everyday tasks".\n`,
  )
}
process.exitCode = interrupted ? 130 : code

/** Runs one command line, with what it prints, and resolves to its exit code. */
function run(command, comment) {
  const shown = command.replace('kubectl-mig', 'kubectl mig')
  process.stdout.write(`\n${comment ? `# ${comment}\n` : ''}$ ${shown}\n`)
  return new Promise((resolve, reject) => {
    child = spawn(command, { cwd: root, env, shell: true, stdio: ['ignore', 'inherit', 'inherit'] })
    child.on('error', reject)
    child.on('close', (status, signal) => resolve(status ?? (signal ? 1 : 0)))
  })
}
