import { connect, type Socket } from 'node:net'
import type { ConnectOutcome } from './connect.ts'

/** What became of one TCP connection from this machine. */
export interface ListenerSighting {
  host: string
  port: number
  /** `unknown-host`: the name has no address. */
  outcome: ConnectOutcome | 'unknown-host' | 'failed'
  /** The system's own word, e.g. ECONNREFUSED. */
  detail?: string
  /** How long it took. */
  ms: number
}

/** Opens one TCP connection and closes it without a byte. Rejects only with the signal's reason. */
export async function lookAtListener(
  host: string,
  port: number,
  limits: { timeoutMs: number; signal: AbortSignal },
): Promise<ListenerSighting> {
  const { sighting, socket } = await dial(host, port, limits)
  socket?.destroy()
  return sighting
}

/** Opens one TCP connection. @returns the socket too, where it came about and was not reset at once */
export function dial(
  host: string,
  port: number,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<{ sighting: ListenerSighting; socket?: Socket }> {
  const began = performance.now()
  const socket = connect({ host, port, signal })
  return new Promise((resolve, reject) => {
    const sighting = (outcome: ListenerSighting['outcome'], detail?: string) => {
      clearTimeout(timer)
      const ms = Math.round(performance.now() - began)
      return { host, port, outcome, ms, ...(detail !== undefined && { detail }) }
    }
    const timer = setTimeout(() => {
      socket.destroy()
      resolve({ sighting: sighting('timed-out') })
    }, timeoutMs)
    socket.once('connect', () => resolve({ sighting: sighting('connected'), socket }))
    socket.once('error', (err: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      if (signal.aborted) return reject(signal.reason)
      const { code = err.message } = err
      resolve({ sighting: sighting(OUTCOMES[code] ?? 'failed', code) })
    })
  })
}

const OUTCOMES: Record<string, ListenerSighting['outcome']> = {
  ECONNREFUSED: 'refused',
  // It was taken, and reset before we heard of that.
  ECONNRESET: 'connected',
  ETIMEDOUT: 'timed-out',
  EHOSTUNREACH: 'no-route',
  ENETUNREACH: 'no-route',
  ENOTFOUND: 'unknown-host',
  EAI_AGAIN: 'unknown-host',
}
