import type { Socket } from 'node:net'
import { MigError } from '../errors.ts'
import type { OpenIntake } from './intake.ts'
import { abort, type Leg } from './leg.ts'
import type { Limits } from './limits.ts'
import type { ProxyLog } from './log.ts'
import { type Direction, relay } from './relay.ts'

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
  inbound: Leg
  /** The handshake with the inbound peer, where there is one; what it throws ends the connection. */
  secure: ((accepted: Socket) => Promise<Leg>) | undefined
  dial(signal: AbortSignal): Promise<Leg>
  openIntake: OpenIntake
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
  const { state, log, limits } = options
  const stopped = new AbortController()
  const legs: Leg[] = []
  const own = (leg: Leg) => {
    legs.push(leg)
    // Failures are seen where they matter, by 'close'; without a listener they'd end the process.
    leg.socket.on('error', () => {})
    return leg
  }
  const fail = (code: string, message: string) => {
    state.failure ??= { code, message }
  }

  const run = async () => {
    const accepted = own(options.inbound)
    const inbound = options.secure ? own(await options.secure(accepted.socket)) : accepted
    state.phase = 'dial'
    const outbound = own(await options.dial(stopped.signal))
    if (stopped.signal.aborted) return
    state.phase = 'open'
    await relay(inbound, outbound, {
      openIntake: options.openIntake,
      lingerMs: limits.lingerMs,
      onBytes: (direction, count) => {
        if (direction === 'out') state.bytesOut += count
        else state.bytesIn += count
      },
      onEnd: (direction, end) => {
        state.phase = 'half-closed'
        if (end.how !== 'end' && !stopped.signal.aborted) {
          fail('copy', end.error.message)
          log({ level: 'error', msg: COPY_FAILED[direction], reason: end.error.message })
        }
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
      const msg = state.phase === 'dial' ? DIAL_FAILED : COPY_FAILED.out
      log({ level: 'error', msg, reason: message, code })
    })
    .finally(() => {
      state.phase = 'closed'
      for (const { socket } of legs) socket.destroy()
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

const DIAL_FAILED = 'unable to create outbound leg of proxy to host'

const COPY_FAILED: Record<Direction, string> = {
  out: 'error encountered copying data to outbound connection',
  in: 'error encountered copying data into inbound connection',
}

function copied(direction: Direction, { bytesOut, bytesIn }: ConnectionState): string {
  return direction === 'out'
    ? `${bytesOut} bytes copied from inbound to outbound`
    : `${bytesIn} bytes copied outbound to inbound`
}
