import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { EXIT, MigError } from '../errors.ts'
import { checkSocketPath } from './unix-socket.ts'

export interface DialOptions {
  /** ms. */
  dialMs: number
  signal: AbortSignal
}

/** Connects to a unix socket. @throws MigError `dial-…` */
export async function dialUnix(path: string, options: DialOptions): Promise<Socket> {
  checkSocketPath(path)
  return dial({ path }, `unix ${path}`, options)
}

/** Connects to an address. @throws MigError `dial-…` */
export function dialTcp(host: string, port: number, options: DialOptions): Promise<Socket> {
  return dial(
    { host, port, noDelay: true, keepAlive: true },
    `tcp ${joinHostPort(host, port)}`,
    options,
  )
}

/** IPv6 addresses in brackets, as Go's net.JoinHostPort writes them. */
export function joinHostPort(host: string, port: number | string): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Words follow Go's, which KubeVirt logs: `dial tcp 10.0.0.1:35001: connect: connection refused`. */
function dial(to: NetConnectOpts, what: string, { dialMs, signal }: DialOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...to, allowHalfOpen: true })
    const fail = (code: string, why: string, cause?: unknown) => {
      settle()
      socket.on('error', () => {})
      socket.destroy()
      reject(new MigError(EXIT.error, `dial ${what}: ${why}`, { code, cause }))
    }
    const onError = (err: NodeJS.ErrnoException) =>
      fail(codeOf(err), `connect: ${WORDS[err.code ?? ''] ?? err.message}`, err)
    const onAbort = () => fail('dial-stopped', 'the listener was stopped')
    const timer = setTimeout(
      () => fail('dial-timeout', `i/o timeout: no answer within ${dialMs} ms`),
      dialMs,
    )
    const settle = () => {
      clearTimeout(timer)
      socket.off('error', onError)
      signal.removeEventListener('abort', onAbort)
    }
    socket.on('error', onError)
    socket.once('connect', () => {
      settle()
      resolve(socket)
    })
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  })
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files in system',
  ECONNRESET: 'connection reset by peer',
}

function codeOf({ code }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'dial-refused'
  if (code === 'ETIMEDOUT') return 'dial-timeout'
  if (code === 'ENOENT') return 'dial-missing'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'dial-unreachable'
  return 'dial-failed'
}
