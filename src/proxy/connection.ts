import type { Socket } from 'node:net'
import { MigError } from '../errors.ts'
import type { Limits } from './limits.ts'
import type { ProxyLog } from './log.ts'
import type { PumpEnd } from './pump.ts'
import { abort, type Direction, relay } from './relay.ts'

export type ConnectionPhase = 'handshake' | 'dial' | 'open' | 'half-closed' | 'closed'

/** One stream through the proxy, as it is now. Counts are bytes, times ms since the epoch. */
export interface ConnectionState {
  id: number
  role: 'target' | 'source'
  key: string
  label: number
  phase: ConnectionPhase
  /** Address of the other proxy. */
  peer: string
  since: number
  /** Inbound to outbound: on a source towards the target, on a target towards the guest's launcher. */
  bytesOut: number
  bytesIn: number
  /** Why it ended, when not by both sides' own will. */
  failure?: { code: string; message: string }
}

export interface ConnectionOptions {
  state: ConnectionState
  inbound: Socket
  /** Secures the inbound leg, when it must be; what it throws ends the connection. */
  secure(inbound: Socket): Promise<Socket>
  dial(signal: AbortSignal): Promise<Socket>
  limits: Limits
  log: ProxyLog
  closed(state: ConnectionState): void
}

export interface Connection {
  readonly state: ConnectionState
  /** Resolves when both legs are closed; never rejects. */
  readonly done: Promise<void>
  /** Cuts both legs at once. */
  close(): Promise<void>
}

/** Takes an accepted connection through handshake, dial and copy to its end. */
export function openConnection(options: ConnectionOptions): Connection {
  const { state, log } = options
  const stopped = new AbortController()
  const legs = new Set<Socket>()
  const own = (socket: Socket) => {
    legs.add(socket)
    // Failures are seen where they matter, by 'close'; without a listener they'd end the process.
    socket.on('error', () => {})
    return socket
  }
  const fail = (code: string, message: string) => {
    state.failure ??= { code, message }
  }

  const run = async () => {
    own(options.inbound)
    const inbound = own(await options.secure(options.inbound))
    state.phase = 'dial'
    const outbound = own(await options.dial(stopped.signal))
    if (stopped.signal.aborted) return
    state.phase = 'open'
    await relay(inbound, outbound, {
      lingerMs: options.limits.lingerMs,
      onBytes: (direction, count) => {
        if (direction === 'out') state.bytesOut += count
        else state.bytesIn += count
      },
      onEnd: (direction, end) => {
        state.phase = 'half-closed'
        if (end.how !== 'end' && !stopped.signal.aborted) fail('copy', end.error.message)
        if (!stopped.signal.aborted) logEnd(log, direction, end)
        log({ level: 'info', msg: copied(direction, state) })
      },
    })
  }

  const done = run()
    .catch((err) => {
      if (stopped.signal.aborted) return
      const { code = 'internal', message } =
        err instanceof MigError ? err : new MigError(1, String(err))
      fail(code, message)
      const msg =
        state.phase === 'dial'
          ? 'unable to create outbound leg of proxy to host'
          : 'error encountered copying data to outbound connection'
      log({ level: 'error', msg, reason: message, code })
    })
    .finally(() => {
      state.phase = 'closed'
      for (const leg of legs) leg.destroy()
      options.closed(state)
    })

  return {
    state,
    done,
    async close() {
      if (!stopped.signal.aborted && state.phase !== 'closed') {
        fail('stopped', 'the listener was stopped')
        log({ level: 'info', msg: 'stop channel terminated proxy' })
        stopped.abort()
        for (const leg of legs) abort(leg)
      }
      await done
    },
  }
}

function copied(direction: Direction, { bytesOut, bytesIn }: ConnectionState): string {
  return direction === 'out'
    ? `${bytesOut} bytes copied from inbound to outbound`
    : `${bytesIn} bytes copied outbound to inbound`
}

function logEnd(log: ProxyLog, direction: Direction, end: PumpEnd): void {
  if (end.how === 'end') return
  const msg =
    direction === 'out'
      ? 'error encountered copying data to outbound connection'
      : 'error encountered copying data into inbound connection'
  log({ level: 'error', msg, reason: end.error.message })
}
