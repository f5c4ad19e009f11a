import { connect } from 'node:net'
import type { Outcome } from './container-commands.ts'

/** One real connection, as bash makes it under `timeout`. @param from the pod's own address @param seconds its limit */
export function bashConnect({
  host,
  port,
  from,
  seconds,
}: {
  host: string
  port: number
  from: string
  seconds: number
}): Promise<Outcome> {
  const failed = (why: string): Outcome => ({
    stdout: '',
    stderr: `${host}: connect: ${why}\n${host}: line 1: /dev/tcp/${host}/${port}: ${why}\n`,
    code: 1,
  })
  return new Promise((resolve) => {
    const socket = connect({ host, port, localAddress: from })
    const end = (outcome: Outcome) => {
      socket.destroy()
      resolve(outcome)
    }
    socket.setTimeout(seconds * 1000, () => end({ stdout: '', stderr: '', code: TIMED_OUT }))
    socket.once('connect', () => end({ stdout: '', stderr: '', code: 0 }))
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => end(failed(WORDS[code] ?? code)))
  })
}

/** What `timeout` ends with when the time is up. */
const TIMED_OUT = 124

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'Connection refused',
  EHOSTUNREACH: 'No route to host',
  ENETUNREACH: 'Network is unreachable',
  ETIMEDOUT: 'Connection timed out',
}
