import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync, readFileSync } from 'node:fs'

/** A target and a source proxy, processes of their own, that can be killed and come again. */
export interface Pair {
  /** The socket before the source; waits while a proxy is coming up. */
  file(): Promise<string>
  /** Kills a side and starts it anew. */
  kill(side: 'target' | 'source'): Promise<void>
  usage(): Promise<Usage[]>
  close(): Promise<void>
}

interface Usage {
  /** Open files beyond those that the proxy had when it came up. */
  leaked: number
  mib: number
}

interface Proxy {
  child: ChildProcess
  /** The line it has printed. */
  answer: string
  descriptors: number
}

export interface PairOptions {
  /** Where the certificates are; without it the pair speaks no TLS. */
  certificates?: string
  backend: string
  baseDir: string
  /** File that both logs go to. */
  log: string
  /** What is started: the tool as it is built, or its source. */
  mig: string
}

export function startPair(options: PairOptions): Pair {
  const { certificates, backend, baseDir } = options
  const own = (side: 'server' | 'client') =>
    certificates
      ? ['ca', `${side}-cert`, `${side}-key`].flatMap((n) => [`--${n}`, `${certificates}/${n}.pem`])
      : ['--disable-tls']
  const startTarget = () => {
    const listen = ['--unix', `0=${backend}`, '--bind', '127.0.0.1']
    return startProxy(['target', '--key', 'soak', ...listen, ...own('server')], options)
  }
  const startSource = async () => {
    const to = ['--target', '127.0.0.1', '--port-map', (await target).answer]
    const args = ['source', '--key', 'soak', ...to, '--base-dir', baseDir, ...own('client')]
    return startProxy(args, options)
  }
  let target = startTarget()
  let source = startSource()

  return {
    file: async () => JSON.parse((await source).answer)[0],
    async kill(side) {
      const stop = async (proxy: Promise<Proxy>) => end((await proxy).child)
      const stopped = [stop(side === 'target' ? target : source)]
      if (side === 'target') {
        // A new target has new ports, of which the old source knows nothing.
        stopped.push(stop(source))
        target = Promise.all(stopped).then(startTarget)
      }
      source = Promise.all(stopped).then(startSource)
      await source
    },
    usage: async () => [usageOf(await target), usageOf(await source)],
    close: async () => {
      await Promise.all([end((await source).child), end((await target).child)])
    },
  }
}

async function startProxy(args: string[], { log, mig }: PairOptions): Promise<Proxy> {
  const child = spawn(process.execPath, ['--no-warnings', mig, 'proxy', ...args], {
    stdio: ['ignore', 'pipe', openSync(log, 'a')],
  })
  const [line] = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])
  if (typeof line === 'number') throw new Error(`a proxy ended with ${line}; see ${log}`)
  return { child, answer: String(line).trim(), descriptors: descriptorsOf(child) }
}

function usageOf({ child, descriptors }: Proxy): Usage {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  const kib = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
  return { leaked: descriptorsOf(child) - descriptors, mib: Math.round(kib / 1024) }
}

function descriptorsOf({ pid }: ChildProcess): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
