import type http from 'node:http'
import https from 'node:https'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import type { WebSocket } from 'ws'
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
  /** Resolves when the answer's headers are there. Rejects with the network's own error. */
  send(outgoing: Outgoing): Promise<http.IncomingMessage>
  /** Resolves when the server has agreed to a WebSocket, or with its answer when it has not. */
  upgrade(outgoing: Outgoing, protocols: readonly string[]): Promise<Upgraded>
  close(): void
}

export type Upgraded = { socket: WebSocket } | { refusal: http.IncomingMessage }

/** Requests share few connections; streams that stay open must not starve them. */
const CONNECTIONS = 8
/** ms after which an idle connection is given up; load balancers do so without a word after 60 s and more. */
const IDLE = 30_000
/** ms of silence after which the system probes whether the peer of a stream still exists. */
const PROBE = 30_000

/** node:https, not undici or client-node: their import alone costs a start 35 and 45 ms more. */
export function createTransport(server: ServerTarget): Transport {
  const closing = new AbortController()
  const tls = tlsOptions(server)
  let wire: Promise<Wire> | undefined

  async function send(outgoing: Outgoing): Promise<http.IncomingMessage> {
    wire ??= openWire(server, closing.signal)
    const { request, short, long } = await wire
    const { credentials, method, body, headers, signal, longLived } = outgoing
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
    const sent = request({
      ...urlToHttpOptions(new URL(server.url + outgoing.path)),
      ...tls,
      ...(credentials.cert !== undefined && { cert: credentials.cert, key: credentials.key }),
      method,
      headers,
      signal,
      agent: longLived ? long : short,
    })
    sent.on('socket', (socket) => socket.setKeepAlive(true, PROBE))
    sent.on('response', resolve)
    sent.on('error', reject)
    // Node itself tells nothing before the request has a connection.
    const abandon = () => reject(signal.reason)
    signal.addEventListener('abort', abandon, { once: true })
    sent.end(body)
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', abandon)
    }
  }

  async function upgrade(outgoing: Outgoing, protocols: readonly string[]): Promise<Upgraded> {
    wire ??= openWire(server, closing.signal)
    const { long } = await wire
    const { openWebSocket } = await import('./web-socket.ts')
    const { credentials, headers, signal } = outgoing
    return openWebSocket(
      server.url + outgoing.path,
      {
        ...tls,
        ...(credentials.cert !== undefined && { cert: credentials.cert, key: credentials.key }),
        // Node takes lists too (Impersonate-Group), which the types of ws don't say.
        headers: headers as Record<string, string>,
        agent: long,
      },
      protocols,
      AbortSignal.any([signal, closing.signal]),
    )
  }

  function close(): void {
    closing.abort()
    void wire?.then(({ short, long }) => {
      short.destroy()
      long.destroy()
    })
  }

  return { send, upgrade, close }
}

interface Wire {
  request: typeof https.request
  short: http.Agent
  long: http.Agent
}

async function openWire({ url, proxyUrl }: ServerTarget, closing: AbortSignal): Promise<Wire> {
  const secure = url.startsWith('https:')
  // An import of node:http loads all of fetch with it, 25 ms that a server of https needn't wait for.
  const { request, Agent } = secure ? https : await import('node:http')
  const kept = { keepAlive: true, maxSockets: CONNECTIONS }
  const short = { ...kept, timeout: IDLE }
  if (proxyUrl === undefined) return { request, short: new Agent(short), long: new Agent() }
  if (proxyUrl.startsWith('socks')) {
    const { SocksProxyAgent: Socks } = await import('socks-proxy-agent')
    // The proxy resolves the name, as for kubectl; socks-proxy-agent would do it here. Its timeout would also end slow answers.
    const proxy = proxyUrl.replace(/^socks5:/, 'socks5h:')
    return { request, short: new Socks(proxy, kept), long: new Socks(proxy) }
  }
  const { HttpsProxyAgent, HttpProxyAgent } = await import('hpagent')
  const Tunnel = secure ? HttpsProxyAgent : HttpProxyAgent
  // The options go to http.request as they are; hpagent's types don't name the signal.
  const proxyRequestOptions = { headers: {}, signal: closing }
  const tunnel = { proxy: proxyUrl, proxyRequestOptions }
  return { request, short: new Tunnel({ ...short, ...tunnel }), long: new Tunnel(tunnel) }
}

function tlsOptions({
  url,
  ca,
  skipTlsVerify,
  tlsServerName,
}: ServerTarget): Pick<ConnectionOptions, 'rejectUnauthorized' | 'ca' | 'servername'> {
  if (!url.startsWith('https:')) return {}
  return {
    // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED cannot change it.
    rejectUnauthorized: !skipTlsVerify,
    // kubectl trusts what the system trusts; Node on its own only what it was built with.
    ca: ca ?? [...getCACertificates('default'), ...getCACertificates('system')],
    ...(tlsServerName !== undefined && { servername: tlsServerName }),
  }
}
