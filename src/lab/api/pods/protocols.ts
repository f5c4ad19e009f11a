import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, WebSocketServer } from 'ws'
import type { UpgradeCall } from '../upgrade.ts'

export function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

export function isSpdy({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toUpperCase() === 'SPDY/3.1'
}

/** What SPDY's own upgrade carries from now on: the connection's bytes. */
export function acceptSpdy({ socket, head }: UpgradeCall, protocol: string): Duplex {
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: SPDY/3.1',
      'Connection: Upgrade',
      `X-Stream-Protocol-Version: ${protocol}`,
      '',
      '',
    ].join('\r\n'),
  )
  if (head.length > 0) socket.unshift(head)
  return socket
}

/**
 * What kubectl from 1.31 on tunnels through a WebSocket: the bytes of its messages. The name of the protocol holds a `/`,
 * which is none of WebSocket's and `ws` refuses: the header is kept from it, and put into the answer.
 */
export function acceptTunnel(
  { request, socket, head }: UpgradeCall,
  protocol: string,
): Promise<Duplex> {
  const { 'sec-websocket-protocol': _offered, ...headers } = request.headers
  request.headers = headers
  const server = new WebSocketServer({ noServer: true })
  server.on('headers', (lines) => void lines.push(`Sec-WebSocket-Protocol: ${protocol}`))
  return new Promise((resolve) => {
    server.handleUpgrade(request, socket, head, (ws) => resolve(createWebSocketStream(ws)))
  })
}
