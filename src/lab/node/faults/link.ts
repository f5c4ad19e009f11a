import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Clock } from '../../../clock.ts'
import type { RelayedPort } from './relayed-port.ts'

/** What the link to a node does to the bytes that go over it. */
interface LinkFault {
  /** Nothing goes through after so many bytes. */
  after?: number
  /** No more than so many bytes a second. */
  rate?: number
}

/** The link between a node and all others: something on the way, to which all connections and directions count alike. */
export interface Link {
  /** From now on; undefined: it is well, and what was held up goes on. */
  set(fault: LinkFault | undefined): void
  /** Another port that leads over the link to one of the node's. */
  relay(address: string, real: number): Promise<RelayedPort>
}

export function createLink(clock: Clock): Link {
  let fault: LinkFault | undefined
  let passed = 0
  let free = 0
  let changed = Promise.withResolvers<void>()

  /** Resolves when so many bytes may go on. */
  async function room(bytes: number): Promise<void> {
    while (fault) {
      const { after, rate } = fault
      const isStalled = after !== undefined && passed >= after
      const ms = rate === undefined ? 0 : free - clock.now()
      if (!isStalled && ms <= 0) {
        passed += bytes
        if (rate !== undefined) free = Math.max(free, clock.now()) + (bytes / rate) * 1000
        return
      }
      const over = new AbortController()
      const pause = isStalled ? [] : [clock.sleep(ms, over.signal).catch(() => {})]
      await Promise.race([changed.promise, ...pause])
      over.abort()
    }
  }

  async function pass(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from) {
        await room(chunk.length)
        if (!to.write(chunk)) await once(to, 'drain')
      }
      to.end()
    } catch {
      to.destroy()
    }
  }

  return {
    set(next) {
      fault = next
      passed = 0
      free = 0
      changed.resolve()
      changed = Promise.withResolvers()
    },
    async relay(address, real) {
      const sockets = new Set<Socket>()
      const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (inbound) => {
        const outbound = connect({ host: address, port: real, allowHalfOpen: true })
        for (const socket of [inbound, outbound]) {
          sockets.add(socket)
          socket.on('error', () => {}).on('close', () => sockets.delete(socket))
        }
        inbound.on('close', () => outbound.destroy())
        outbound.on('close', () => inbound.destroy())
        void pass(inbound, outbound)
        void pass(outbound, inbound)
      })
      server.listen(0, address)
      await once(server, 'listening')
      return {
        port: (server.address() as AddressInfo).port,
        real,
        unblock() {},
        close() {
          server.close()
          for (const socket of sockets) socket.destroy()
        },
      }
    },
  }
}
