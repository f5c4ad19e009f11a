import { execFile, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { systemClock } from '../../src/clock.ts'

const OWNER = '65534:65534'
const SOCKET = '/run/user/65534/libvirt/libvirt-sock'

/** What is missing here for two libvirt hosts on one machine; undefined when nothing is. */
export function missingForLibvirt(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'needs root on Linux, for namespaces'
  const programs = ['libvirtd', 'virsh', 'qemu-system-x86_64', 'unshare', 'setpriv', 'openssl']
  const missing = programs.filter(
    (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0,
  )
  return missing.length > 0
    ? `${missing.join(', ')} missing: test/e2e/install-real-parts.sh`
    : undefined
}

/** A host with an unprivileged libvirtd: a namespace of its own for files below /run and for processes. */
export interface LibvirtHost {
  /** Runs a script to its end, as root of the host. @throws Error with what it wrote to stderr */
  run(script: string, env?: Record<string, string>): Promise<string>
  /** Starts one that stays, with a line to read, and waits for the first that it prints. `log`: its stderr so far. */
  start(
    script: string,
    env?: Record<string, string>,
    input?: string,
  ): Promise<{ first: string; log(): string }>
  virsh(...args: string[]): Promise<string>
  /** A file as this machine sees it. */
  file(path: string): string
  /** Ends all that runs in it. */
  close(): Promise<void>
}

export async function libvirtHost(settings: Record<string, string>): Promise<LibvirtHost> {
  const script = fileURLToPath(new URL('libvirt-host.sh', import.meta.url))
  const space = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child']
  const child = spawn('unshare', [...space, '--mount-proc', script, randomUUID(), OWNER], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), closed])
  const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
  const first = children.trim()
  const inside = ['-t', first, '-m', '-p']
  const environment = (env: Record<string, string> = {}) => ({
    ...process.env,
    ...settings,
    LIBVIRT: SOCKET,
    URI: 'qemu+unix:///session',
    OWNER,
    ...env,
  })
  const run: LibvirtHost['run'] = async (text, env) => {
    const args = [...inside, 'bash', '-euc', text]
    const options = { env: environment(env), timeout: 60_000 }
    try {
      return (await promisify(execFile)('nsenter', args, options)).stdout
    } catch (err) {
      throw new Error((err as { stderr?: string }).stderr || String(err))
    }
  }
  const host: LibvirtHost = {
    run,
    async start(text, env, input = '') {
      const args = [...inside, 'bash', '-euc', text]
      const program = spawn('nsenter', args, { env: environment(env) })
      program.stdin.end(`${input}\n`)
      let log = ''
      program.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        log += chunk
      })
      const [first] = await Promise.race([
        once(createInterface({ input: program.stdout }), 'line'),
        once(program, 'close').then(() => [undefined]),
      ])
      if (first === undefined) throw new Error(log)
      return { first, log: () => log }
    },
    virsh: (...args) =>
      run(`exec virsh -q -c "$URI?socket=$LIBVIRT" ${args.map(quoted).join(' ')}`),
    file: (path) => `/proc/${first}/root${path}`,
    async close() {
      child.stdin.end()
      await closed
    },
  }
  // A libvirtd that has just been installed looks first what its QEMU can do.
  for (let attempt = 0; ; attempt++) {
    try {
      await host.virsh('version')
      return host
    } catch (err) {
      if (attempt === 100) {
        await host.close()
        throw err
      }
      await systemClock.sleep(200)
    }
  }
}

/** The shell blocks of a page, by the word behind `sh`. */
export async function recipe(page: URL): Promise<Record<string, string>> {
  const text = await readFile(page, 'utf8')
  return Object.fromEntries(
    [...text.matchAll(/^```sh (\w+)\n(.*?)^```$/gms)].map(([, name = '', block = '']) => [
      name,
      block,
    ]),
  )
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
