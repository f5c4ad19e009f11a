import { once } from 'node:events'
import http from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface TestProxy {
  url: string
  /** Where it was asked to connect to. */
  targets: string[]
  close(): Promise<void>
}

/** An HTTP proxy that connects to `upstream`, whatever name it was asked for; it may refuse with a status instead. */
export async function startHttpProxy(upstream: string, refuse?: number): Promise<TestProxy> {
  const targets: string[] = []
  const server = http.createServer()
  server.on('connect', (request, client: Socket) => {
    targets.push(request.url!)
    if (refuse) return client.end(`HTTP/1.1 ${refuse} No\r\n\r\n`)
    join(client, upstream, () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
  })
  return listen(server, 'http', targets)
}

/** A SOCKS5 proxy without authentication, for names only. */
export async function startSocksProxy(upstream: string): Promise<TestProxy> {
  const targets: string[] = []
  const server = createServer(async (client) => {
    await once(client, 'data')
    client.write(Buffer.from([5, 0]))
    const [asked] = (await once(client, 'data')) as [Buffer]
    targets.push(asked.subarray(5, 5 + asked[4]!).toString())
    join(client, upstream, () => client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])))
  })
  return listen(server, 'socks5', targets)
}

function join(client: Socket, upstream: string, ready: () => void): void {
  const { hostname, port } = new URL(upstream)
  const server = connect(Number(port), hostname, () => {
    ready()
    client.pipe(server).pipe(client)
  })
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on('error', () => other.destroy())
    one.on('close', () => other.destroy())
  }
}

async function listen(server: Server, scheme: string, targets: string[]): Promise<TestProxy> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
