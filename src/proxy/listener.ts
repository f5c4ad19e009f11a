import { createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import type { Connection } from './connection.ts'

export interface ListenerOptions {
  /** Hold back reading until the connection is taken over; not where a TLS handshake reads first. */
  pauseOnConnect: boolean
  accept(socket: Socket): Connection
  onAcceptError(err: NodeJS.ErrnoException): void
}

/** A listening socket and the connections that came through it. */
export interface Listener {
  readonly server: Server
  connections(): Connection[]
  /** Stops listening, cuts what is open, waits until all is closed. */
  close(): Promise<void>
}

export const BACKLOG = 4096

/** @throws node's own listen error, with its code */
export function openListener(listen: ListenOptions, options: ListenerOptions): Promise<Listener> {
  const open = new Set<Connection>()
  const server = createServer(
    { allowHalfOpen: true, noDelay: true, keepAlive: true, pauseOnConnect: options.pauseOnConnect },
    (socket) => {
      const connection = options.accept(socket)
      open.add(connection)
      void connection.done.then(() => open.delete(connection))
    },
  )
  let closing: Promise<void> | undefined
  const close = async () => {
    const unbound = new Promise<void>((resolve) => server.close(() => resolve()))
    await Promise.all([...open].map((connection) => connection.close()))
    await unbound
  }
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ backlog: BACKLOG, ...listen }, () => {
      server.off('error', reject).on('error', options.onAcceptError)
      resolve({
        server,
        connections: () => [...open],
        close: () => {
          closing ??= close()
          return closing
        },
      })
    })
  })
}
