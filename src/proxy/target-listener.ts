import type { AddressInfo, Socket } from 'node:net'
import { basename } from 'node:path'
import { EXIT, MigError } from '../errors.ts'
import { type Connection, openConnection } from './connection.ts'
import type { ProxyContext } from './context.ts'
import { dialUnix, joinHostPort } from './dial.ts'
import { type Listener, openListener } from './listener.ts'
import { candidatePorts } from './port-range.ts'

/** One socket of the target's launcher and the channel it stands for. */
export interface TargetFile {
  file: string
  label: number
}

export interface TargetListener extends TargetFile {
  /** The real TCP port. */
  port: number
  connections(): Connection[]
  close(): Promise<void>
}

/**
 * Listens on TCP, with TLS when `secured`, for one unix socket of the target's launcher. The socket is dialled only
 * after the handshake, so that scanners and refused sources never reach QEMU (data-plane.md §1.5, §2.9).
 * @throws MigError `port-in-use`, `bad-bind`, `listen-failed`
 */
export async function openTargetListener(
  context: ProxyContext,
  key: string,
  { file, label }: TargetFile,
  secured: boolean,
): Promise<TargetListener> {
  const fields = { uid: key, outbound: basename(file) }
  const logTo = (listening: string) => context.logger({ ...fields, listening })
  let log = context.logger(fields)
  const listener = await bind(
    context,
    (socket) => {
      const { remoteAddress = '', remotePort = 0 } = socket
      return openConnection({
        identity: context.identify({
          role: 'target',
          key,
          label,
          peer: joinHostPort(remoteAddress, remotePort),
        }),
        inbound: { kind: 'tcp', socket },
        secure: secured ? (raw) => context.handshakes.accept(raw, context.currentTls()) : undefined,
        dial: async (signal) => ({
          kind: 'unix',
          socket: await dialUnix(file, { dialMs: context.limits.dialMs, signal }),
        }),
        openIntake: context.openIntake,
        limits: context.limits,
        clock: context.clock,
        closed: context.closed,
        log,
      })
    },
    secured,
  ).catch((err) => {
    log({
      level: 'error',
      msg: 'failed to create unix socket for proxy service',
      reason: err.message,
    })
    throw err
  })
  const { address, port } = listener.server.address() as AddressInfo
  log = logTo(`${address}:${port}`)
  log({ level: 'info', msg: 'proxy started listening' })
  log({ level: 'info', msg: 'Manager created proxy on target' })
  return {
    file,
    label,
    port,
    connections: listener.connections,
    async close() {
      await listener.close()
      log({ level: 'info', msg: 'proxy stopped listening' })
    },
  }
}

async function bind(
  context: ProxyContext,
  accept: (socket: Socket) => Connection,
  secured: boolean,
): Promise<Listener> {
  const { bind: host, portRange } = context
  for (const port of candidatePorts(portRange)) {
    try {
      return await openListener(
        { host, port },
        {
          pauseOnConnect: !secured,
          accept,
          onAcceptError: (err) => context.acceptFailed(err),
        },
      )
    } catch (err) {
      const { code, message } = err as NodeJS.ErrnoException
      if (code === 'EADDRINUSE' && portRange) continue
      const unusable = code === 'EADDRNOTAVAIL' || code === 'EINVAL' || code === 'ENOTFOUND'
      throw new MigError(
        EXIT.error,
        unusable
          ? `can't listen on ${host}: it is no address of this machine`
          : `can't listen on ${joinHostPort(host, port)}: ${message}`,
        { code: unusable ? 'bad-bind' : 'listen-failed', cause: err },
      )
    }
  }
  throw new MigError(
    EXIT.error,
    `no free port on ${host} between ${portRange?.first} and ${portRange?.last}: all are in use`,
    { code: 'port-in-use', hint: 'stop what listens there or give a wider --port-range' },
  )
}
