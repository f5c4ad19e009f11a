import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { testAuthority } from './server.ts'

export interface WebSocketApi {
  url: string
  ca: string
  /** Path, query and headers of what was asked. */
  asked: { url: URL; headers: IncomingMessage['headers'] }[]
}

interface Behaviour {
  /** The protocol that the server speaks. */
  protocol: string
  /** Answers otherwise than by a WebSocket. */
  refuse?: (socket: Duplex) => void
  connected?: (socket: WebSocket) => void
}

/** An HTTPS server that agrees to WebSockets, as the API server does for exec and port-forward; closed with the test. */
export async function serveWebSockets(behaviour: Behaviour): Promise<WebSocketApi> {
  const ca = await testAuthority()
  const pair = await ca.issue({
    commonName: 'kube-apiserver',
    usage: ['server'],
    names: ['127.0.0.1'],
    notBefore: Date.now() - 3_600_000,
    notAfter: Date.now() + 3_600_000,
  })
  const asked: WebSocketApi['asked'] = []
  const server = https.createServer({ ...pair })
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => offered.has(behaviour.protocol) && behaviour.protocol,
  })
  server.on('upgrade', (request, socket, head) => {
    asked.push({ url: new URL(request.url ?? '', 'https://x'), headers: request.headers })
    if (behaviour.refuse) return behaviour.refuse(socket)
    sockets.handleUpgrade(request, socket, head, (webSocket) => behaviour.connected?.(webSocket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const client of sockets.clients) client.terminate()
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca: ca.cert, asked }
}

/** A message of a channel. */
export function message(channel: number, text: string | Buffer): Buffer {
  return Buffer.concat([Buffer.of(channel), Buffer.from(text)])
}
