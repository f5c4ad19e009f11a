import { spawn } from 'node:child_process'
import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

interface KubectlResult {
  stdout: string
  stderr: string
  code: number
}

interface RunOptions {
  stdin?: string
  /** One of the users of the kubeconfigs. */
  as?: string
}

export interface Kubectl {
  run(args: string[], options?: RunOptions): Promise<KubectlResult>
  /** A line of shell in which `kubectl` is this kubectl. */
  shell(line: string, options?: RunOptions): Promise<KubectlResult>
  /** What a process needs to be this kubectl as its default user. */
  env: NodeJS.ProcessEnv
  close(): void
}

/** `kubectl` of the PATH; undefined where there is none. */
export function findKubectl(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'kubectl'))
    .find(isExecutable)
}

interface KubectlRelease {
  release: string
  file: string
}

/**
 * Further releases that lie beside the real file of `kubectl` (`kubectl.1.29` …): the oldest, the middle and the newest;
 * all of them with KUBECTL_RELEASES=all.
 */
export function otherKubectls(kubectl: string): KubectlRelease[] {
  const folder = dirname(realpathSync(kubectl))
  const all = readdirSync(folder)
    .map((name) => ({ release: /^kubectl\.(1\.\d+)$/.exec(name)?.[1], file: join(folder, name) }))
    .filter((one): one is KubectlRelease => one.release !== undefined)
    .sort((a, b) => (a.release < b.release ? -1 : 1))
  if (process.env['KUBECTL_RELEASES'] === 'all') return all
  return all.filter((_, i) => [0, all.length >> 1, all.length - 1].includes(i))
}

/** A kubectl with a home of its own, whose discovery cache nobody shares. */
export function useKubectl(
  file: string,
  kubeconfigs: Record<string, string>,
  defaultUser: string,
): Kubectl {
  const home = mkdtempSync(join(tmpdir(), 'kubectl-'))
  symlinkSync(file, join(home, 'kubectl'))
  for (const [user, text] of Object.entries(kubeconfigs))
    writeFileSync(join(home, `${user}.yaml`), text, { mode: 0o600 })
  const envOf = (user: string) => ({
    PATH: [home, process.env['PATH']].join(delimiter),
    HOME: home,
    KUBECONFIG: join(home, `${user}.yaml`),
  })
  const start = (command: string, args: string[], { stdin = '', as = defaultUser }: RunOptions) =>
    execute(command, args, stdin, envOf(as))
  return {
    run: (args, options = {}) => start(file, args, options),
    shell: (line, options = {}) => start('/bin/sh', ['-c', line], options),
    env: envOf(defaultUser),
    close: () => rmSync(home, { recursive: true, force: true }),
  }
}

function execute(
  command: string,
  args: string[],
  stdin: string,
  env: NodeJS.ProcessEnv,
): Promise<KubectlResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env })
    const output = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output.stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ ...output, code: code ?? -1 }))
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
  })
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
