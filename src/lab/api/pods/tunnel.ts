import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { isSpdy } from '../../node/upgrades.ts'
import type { Api } from '../api.ts'
import { internalError } from '../status.ts'
import type { UpgradeCall } from '../upgrade.ts'
import { type Kubelet, kubeletRequest } from './kubelet.ts'

/** What the handshake of an upgrade needs; all else in the headers is this server's own. */
const KEPT = ['connection', 'upgrade', 'x-stream-protocol-version']

/**
 * Hands the client's connection on to a kubelet, which answers the client's own handshake, or refuses it in its own words.
 * @param path with its query, as the kubelet has it
 */
export function tunnel(api: Api, call: UpgradeCall, kubelet: Kubelet, path: string): Promise<void> {
  const { request, socket, head } = call
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) => KEPT.includes(name) || name.startsWith('sec-websocket-'),
    ),
  )
  return new Promise((resolve, reject) => {
    const method = request.method ?? 'POST'
    const outgoing = kubeletRequest(api, kubelet, path, { method, headers })
    outgoing.on('upgrade', (answer, upstream, upstreamHead) => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headersOf(answer)}\r\n`)
      upstream.on('error', () => socket.destroy())
      upstream.once('close', () => socket.destroy())
      socket.once('close', () => upstream.destroy())
      socket.write(upstreamHead)
      upstream.write(head)
      socket.pipe(upstream).pipe(socket)
      resolve()
    })
    outgoing.on('response', (answer) => {
      // Whoever speaks SPDY is told what the kubelet says; to others the server says it.
      if (isSpdy(request)) {
        const { statusCode, statusMessage } = answer
        socket.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${headersOf(answer)}\r\n`)
        answer.pipe(socket)
        resolve()
        return
      }
      const refused = (why: string) => internalError(`unable to upgrade connection: ${why.trim()}`)
      text(answer).then((why) => reject(refused(why)), reject)
    })
    outgoing.on('error', (err) => reject(internalError(`error dialing backend: ${err.message}`)))
    outgoing.end()
  })
}

function headersOf({ rawHeaders }: IncomingMessage): string {
  return rawHeaders.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')
}
