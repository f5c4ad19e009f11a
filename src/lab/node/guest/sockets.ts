import { once } from 'node:events'
import { createServer, connect as dial, type Socket } from 'node:net'
import { Channel, type ChannelHandlers } from './channel.ts'

/** Connects to the unix socket that leads to the target; rejects with the system's error. */
export async function connectChannel(file: string, handlers: ChannelHandlers): Promise<Channel> {
  const socket = dial(file)
  await once(socket, 'connect')
  return new Channel(socket, handlers)
}

export interface Listening {
  /** Resolves with the first connection; rejects when closed before one came. */
  channel(handlers: ChannelHandlers): Promise<Channel>
  /** The connection that came goes on, no other comes, and the file is gone. */
  stop(): void
  close(): Promise<void>
}

/** Listens at a unix socket for the one connection of a copy; any further one is turned away. */
export async function acceptChannel(file: string): Promise<Listening> {
  const first = Promise.withResolvers<Socket>()
  first.promise.catch(() => {})
  let accepted: Socket | undefined
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    if (accepted) {
      socket.destroy()
      return
    }
    accepted = socket
    first.resolve(socket)
  })
  server.listen(file)
  await once(server, 'listening')
  const closed = once(server, 'close')
  const stop = () => {
    // The file goes with the listener.
    if (server.listening) server.close()
  }
  return {
    async channel(handlers) {
      const socket = await first.promise
      const channel = new Channel(socket, handlers)
      socket.resume()
      return channel
    },
    stop,
    async close() {
      first.reject(new Error('the guest that was to arrive is gone'))
      accepted?.destroy()
      stop()
      await closed
    },
  }
}
