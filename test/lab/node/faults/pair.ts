import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProxyManager } from '../../../../src/proxy/manager.ts'

/** A client, a target's proxy, and a launcher's socket behind it that counts what it gets. */
export async function connectedPair(options: {
  manager(bind: string): ProxyManager
  listen(accept: (socket: Socket) => void): Server
}) {
  const folder = await mkdtemp(join(tmpdir(), 'mig-'))
  const file = join(folder, 'virtqemud-sock')
  let count = 0
  const sockets: Socket[] = []
  const server = options.listen((socket) => {
    sockets.push(socket)
    socket.on('data', ({ length }) => {
      count += length
    })
    socket.on('error', () => {})
  })
  server.listen(file)
  await once(server, 'listening')
  const manager = options.manager('127.0.0.1')
  await manager.startTargetListener('uid', [file])
  const [port = ''] = Object.keys(manager.targetListenerPorts('uid'))
  const client = connect({ host: '127.0.0.1', port: Number(port) })
  client.on('error', () => {})
  await once(client, 'connect')
  return {
    /** Resolves when it has been taken off the client. */
    send: (bytes: number) =>
      new Promise<void>((resolve) => client.write(Buffer.alloc(bytes), () => resolve())),
    received: () => count,
    async close() {
      client.destroy()
      await manager.close()
      for (const socket of sockets) socket.destroy()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
