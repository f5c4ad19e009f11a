import { basename } from 'node:path'
import { EXIT, MigError } from '../errors.ts'
import type { KeyPair } from '../tls/certificate.ts'
import { type Connection, type OtherProxy, openConnection } from './connection.ts'
import type { ProxyContext } from './context.ts'
import { dialTcp, joinHostPort } from './dial.ts'
import { TlsRefused } from './handshake.ts'
import type { Leg } from './leg.ts'
import { type Listener, openListener } from './listener.ts'
import { prepareSocketPath, removeCreated, setSocketOwner } from './unix-socket.ts'

export interface SourceRoute {
  /** Where the launcher's libvirt and QEMU connect. */
  file: string
  label: number
  targetAddress: string
  targetPort: number
}

export interface SourceListener extends SourceRoute {
  connections(): Connection[]
  close(): Promise<void>
}

/**
 * Listens on a unix socket in the source's launcher for one port of the target's proxy.
 * @param other that proxy, the same for all its ports
 * @throws MigError `socket-…`, `listen-failed`
 */
export async function openSourceListener(
  context: ProxyContext,
  key: string,
  route: SourceRoute,
  secured: boolean,
  other: OtherProxy,
): Promise<SourceListener> {
  const { file, label, targetAddress, targetPort } = route
  const peer = joinHostPort(targetAddress, targetPort)
  const log = context.logger({ uid: key, listening: basename(file), outbound: peer })

  let accepted: KeyPair | undefined
  const dial = async (signal: AbortSignal): Promise<Leg> => {
    const dialTarget = async () => {
      const { dialMs } = context.limits
      const raw = await dialTcp(targetAddress, targetPort, { dialMs, signal })
      signal.addEventListener('abort', () => raw.destroy())
      return raw
    }
    if (!secured) return { kind: 'tcp', socket: await dialTarget() }
    const tls = context.currentTls()
    // What this target took before comes first; the second is for targets of older releases (data-plane.md §2.8).
    const [first, second] =
      accepted && accepted === tls.legacyClient
        ? [tls.legacyClient, tls.client]
        : [tls.client, tls.legacyClient]
    const offer = async (pair: KeyPair | undefined, confirmMs: number) => {
      const leg = await context.handshakes.offer(dialTarget, tls, { pair, confirmMs })
      accepted = pair
      return leg
    }
    if (!second) return offer(first, 0)
    try {
      return await offer(first, context.limits.confirmMs)
    } catch (err) {
      if (!(err instanceof TlsRefused)) throw err
      log({
        level: 'info',
        msg: 'handshake failed, fallback to old tls config',
        reason: err.message,
      })
      return offer(second, 0)
    }
  }

  // They reach the target in the order in which they were made here: up to 7.2 QEMU takes the first for its main one,
  // whichever that is, and gives up when another overtakes it.
  let last: Promise<unknown> = Promise.resolve()
  const dialInTurn = (signal: AbortSignal): Promise<Leg> => {
    const turn = last.then(() => dial(signal))
    last = turn.catch(() => {})
    return turn
  }

  let created: string | undefined
  /** The socket file goes with its listener. */
  const leave = async () => {
    if (created !== undefined) await removeCreated(file, created)
  }
  const listen = () =>
    openListener(
      { path: file },
      {
        pauseOnConnect: true,
        accept: (socket) =>
          openConnection({
            other,
            identity: context.identify({ role: 'source', key, label, peer }),
            inbound: { kind: 'unix', socket },
            secure: undefined,
            dial: dialInTurn,
            openIntake: context.openIntake,
            limits: context.limits,
            clock: context.clock,
            closed: context.closed,
            log,
          }),
        onAcceptError: (err) => context.acceptFailed(err),
      },
    ).catch((cause) => {
      const message = `can't listen on ${file}: ${cause.message}`
      throw new MigError(EXIT.error, message, { code: 'listen-failed', cause })
    })
  const open = async () => {
    created = await prepareSocketPath(file)
    let listener: Listener | undefined
    try {
      listener = await listen()
      if (context.socketOwner) await setSocketOwner(file, context.socketOwner)
      return listener
    } catch (err) {
      await listener?.close()
      await leave()
      throw err
    }
  }

  const listener = await open().catch((err) => {
    log({
      level: 'error',
      msg: 'failed to create unix socket for proxy service',
      reason: err.message,
    })
    throw err
  })
  log({ level: 'info', msg: 'proxy started listening' })
  log({ level: 'info', msg: 'Manager created proxy on source node' })
  return {
    ...route,
    connections: listener.connections,
    async close() {
      await listener.close()
      await leave()
      log({ level: 'info', msg: 'proxy stopped listening' })
    },
  }
}
