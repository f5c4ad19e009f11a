import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import type { Credentials } from './credentials.ts'
import type { ServerTarget } from './target.ts'

export interface Outgoing {
  method: string
  /** Path and query, below the server's own path. */
  path: string
  headers: Record<string, string | string[]>
  body: string | undefined
  credentials: Credentials
  /** A stream that stays open gets a connection of its own. */
  longLived: boolean
  signal: AbortSignal
}

export interface Transport {
  /** Resolves when the answer's headers are there. */
  send(outgoing: Outgoing): Promise<IncomingMessage>
  close(): void
}

/** Requests of one command share few connections; streams that stay open must not starve them. */
const CONNECTIONS = 8

/** A watch may be silent for long; the system's keep-alive probes find a peer that is gone. ms. */
const KEEP_ALIVE_PROBE = 30_000

export function createTransport(server: ServerTarget): Transport {
  const secure = server.url.startsWith('https:')
  const { request, Agent } = secure ? https : http
  const short = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const long = new Agent({ keepAlive: false })
  const tls = secure
    ? {
        rejectUnauthorized: !server.skipTlsVerify,
        ...(server.ca !== undefined && { ca: server.ca }),
        ...(server.tlsServerName !== undefined && { servername: server.tlsServerName }),
      }
    : {}

  function send(outgoing: Outgoing): Promise<IncomingMessage> {
    const { credentials, method, body, headers, signal } = outgoing
    return new Promise((resolve, reject) => {
      const req = request({
        ...urlToHttpOptions(new URL(server.url + outgoing.path)),
        ...tls,
        ...(credentials.cert !== undefined && { cert: credentials.cert, key: credentials.key }),
        method,
        headers,
        signal,
        agent: outgoing.longLived ? long : short,
      })
      req.on('socket', (socket) => socket.setKeepAlive(true, KEEP_ALIVE_PROBE))
      req.on('error', reject)
      req.on('response', resolve)
      req.end(body)
    })
  }

  function close(): void {
    short.destroy()
    long.destroy()
  }

  return { send, close }
}
