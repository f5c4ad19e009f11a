import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import { createFailures, type Failures } from './failures.ts'
import type { OpenIntake } from './intake.ts'
import { abort, type Leg, sayGoodbye } from './leg.ts'
import type { Limits } from './limits.ts'
import type { ProxyLog } from './log.ts'
import { createMeter, type Meter } from './meter.ts'
import type { PumpEnd } from './pump.ts'
import { type Direction, relay } from './relay.ts'
import {
  COPY_FAILED,
  closedAtOnce,
  copied,
  DIAL_FAILED,
  explainEnd,
  oneSidedTls,
  type Reason,
  STOPPED,
} from './wording.ts'

type ConnectionPhase = 'handshake' | 'dial' | 'open' | 'half-closed' | 'closed'

/** One stream through the proxy, as it is now. */
export interface ConnectionState {
  id: number
  role: 'target' | 'source'
  key: string
  label: number
  phase: ConnectionPhase
  /** Address and port of the other proxy. */
  peer: string
  /** ms since the epoch. */
  since: number
  /** Bytes delivered to the outbound leg: on a source towards the target, on a target towards the launcher. */
  bytesOut: number
  bytesIn: number
  /** Bytes a second, lately. */
  rateOut: number
  rateIn: number
  /** Why it ended, when not by the will of both its ends. */
  failure?: Reason
}

/** What all connections of a key to another proxy know of it. */
export interface OtherProxy {
  /** It has passed something on, so it takes our certificate. */
  answered: boolean
}

export interface ConnectionOptions {
  /** Of a source: shared by its connections. */
  other?: OtherProxy
  identity: Pick<ConnectionState, 'id' | 'role' | 'key' | 'label' | 'peer'>
  inbound: Leg
  /** The handshake with the inbound peer, where there is one; what it throws ends the connection. */
  secure: ((accepted: Socket) => Promise<Leg>) | undefined
  dial(signal: AbortSignal): Promise<Leg>
  openIntake: OpenIntake
  limits: Limits
  clock: Clock
  log: ProxyLog
  closed(state: ConnectionState): void
}

export interface Connection {
  state(): ConnectionState
  /** Resolves when both legs are closed; never rejects. */
  readonly done: Promise<void>
  /** Cuts both legs at once. */
  close(): Promise<void>
}

/** Takes an accepted connection through handshake, dial and copy to its end. */
export function openConnection(options: ConnectionOptions): Connection {
  const { log, limits, clock, identity } = options
  const since = clock.now()
  const meters: Record<Direction, Meter> = { out: createMeter(since), in: createMeter(since) }
  const stopped = new AbortController()
  const legs: Leg[] = []
  let phase: ConnectionPhase = options.secure ? 'handshake' : 'dial'
  let failure: Reason | undefined
  let failures: Failures | undefined

  const state = (): ConnectionState => {
    const now = clock.now()
    return {
      ...identity,
      phase,
      since,
      bytesOut: meters.out.total(),
      bytesIn: meters.in.total(),
      rateOut: meters.out.rate(now),
      rateIn: meters.in.rate(now),
      ...(failure && { failure }),
    }
  }
  const own = (leg: Leg) => {
    legs.push(leg)
    // Failures are seen where they matter, by 'close'; without a listener they'd end the process.
    leg.socket.on('error', () => {})
    return leg
  }
  /** The first failure counts, but what the TLS says explains the broken pipe that may have come before it. */
  const fail = (msg: string, reason: Reason) => {
    if (stopped.signal.aborted) return
    const telling = reason.code.startsWith('tls-') && !failure?.code.startsWith('tls-')
    if (!failure || telling) failure = reason
    log({ level: 'error', msg, reason: reason.message, code: reason.code })
  }
  const warn = (direction: Direction, reason: Reason | undefined) => {
    if (!reason || stopped.signal.aborted) return
    log({
      level: 'warning',
      msg: COPY_FAILED[direction],
      reason: reason.message,
      code: reason.code,
    })
  }

  const copy = async (inbound: Leg, outbound: Leg) => {
    const opened = clock.now()
    const legsOf = { out: [inbound, outbound], in: [outbound, inbound] } as const
    failures = createFailures(identity.role === 'source' ? 'out' : 'in', (direction, end) => {
      const [from, to] = legsOf[direction]
      const openMs = clock.now() - opened
      const received = meters[direction].total()
      const answered = received > 0 || (options.other?.answered ?? false)
      fail(COPY_FAILED[direction], explainEnd(end, { from, to, answered, openMs }))
    })
    await relay(inbound, outbound, {
      openIntake: options.openIntake,
      lingerMs: limits.lingerMs,
      onFirst(direction, bytes) {
        if (direction === 'in' && options.other) options.other.answered = true
        if (legsOf[direction][0].kind === 'tcp') warn(direction, oneSidedTls(bytes))
      },
      onBytes: (direction, count) => meters[direction].add(count, clock.now()),
      onEnd(direction: Direction, end: PumpEnd) {
        const openMs = clock.now() - opened
        const bytes = { bytesIn: meters.in.total(), bytesOut: meters.out.total() }
        failures?.ended(direction, end)
        if (
          end.how === 'end' &&
          direction === 'in' &&
          identity.role === 'source' &&
          phase === 'open'
        )
          warn(direction, closedAtOnce(outbound.kind, { ...bytes, openMs }))
        phase = 'half-closed'
        log({ level: 'info', msg: copied(direction, meters[direction].total()) })
      },
    })
  }

  const run = async () => {
    const accepted = own(options.inbound)
    const inbound = options.secure ? own(await options.secure(accepted.socket)) : accepted
    phase = 'dial'
    const outbound = await options.dial(stopped.signal).catch(async (err) => {
      fail(DIAL_FAILED, reasonOf(err))
      await sayGoodbye(inbound, limits.lingerMs)
    })
    if (!outbound) return
    own(outbound)
    if (stopped.signal.aborted) return
    phase = 'open'
    await copy(inbound, outbound)
  }

  const done = run()
    .catch((err) => fail(COPY_FAILED.out, reasonOf(err)))
    .finally(() => {
      phase = 'closed'
      for (const { socket } of legs) socket.destroy()
      options.closed(state())
    })

  return {
    state,
    done,
    async close() {
      if (!stopped.signal.aborted && phase !== 'closed') {
        failures?.flush()
        failure ??= { code: 'stopped', message: 'the listener was stopped' }
        log({ level: 'info', msg: STOPPED })
        stopped.abort()
        for (const leg of legs) abort(leg)
      }
      await done
    },
  }
}

function reasonOf(err: unknown): Reason {
  const { code = 'internal', message } =
    err instanceof MigError ? err : new MigError(EXIT.error, String(err))
  return { code, message }
}
