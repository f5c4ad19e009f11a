import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws'

/** A request to leave HTTP, and the connection it came on. */
export interface UpgradeRequest {
  request: IncomingMessage
  socket: Duplex
  /** What the client has sent already behind its request. */
  head: Buffer
}

export function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

export function isSpdy({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toUpperCase() === 'SPDY/3.1'
}

/** Protocols above the upgrade that the client offers, the one it likes best first. */
export function offeredProtocols({ headers }: IncomingMessage): string[] {
  const name = headers['x-stream-protocol-version'] ?? headers['sec-websocket-protocol'] ?? ''
  return [name]
    .flat()
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter(Boolean)
}

/** What SPDY's own upgrade carries from now on: the connection's bytes. */
export function acceptSpdy({ socket, head }: UpgradeRequest, protocol: string): Duplex {
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
 * The protocols' names may hold a `/`, which is none of WebSocket's and `ws` refuses: the header is kept from it, and put
 * into the answer.
 */
export function acceptWebSocket(
  { request, socket, head }: UpgradeRequest,
  protocol: string,
): Promise<WebSocket> {
  const { 'sec-websocket-protocol': _offered, ...headers } = request.headers
  request.headers = headers
  const server = new WebSocketServer({ noServer: true, clientTracking: false })
  server.on('headers', (lines) => void lines.push(`Sec-WebSocket-Protocol: ${protocol}`))
  return new Promise((resolve) => server.handleUpgrade(request, socket, head, resolve))
}

/** What kubectl from 1.31 on tunnels through a WebSocket: the bytes of its messages. */
export async function acceptTunnel(call: UpgradeRequest, protocol: string): Promise<Duplex> {
  return createWebSocketStream(await acceptWebSocket(call, protocol))
}

/** Ends the connection with an ordinary answer. */
export function refuseUpgrade(socket: Duplex, code: number, reason: string, text: string): void {
  const body = `${text}\n`
  socket.end(
    [
      `HTTP/1.1 ${code} ${reason}`,
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
