import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '../../clock.ts'
import type { KeyPair } from '../certificates.ts'
import type { Outcome } from './container-commands.ts'
import type { ContainerLog, LogQuery } from './container-log.ts'

/** A container of this node, as its kubelet knows it. */
export interface NodeContainer {
  log: ContainerLog
  run(argv: readonly string[]): Promise<Outcome>
}

export interface KubeletServer {
  port: number
  close(): Promise<void>
}

/** Whom a kubelet lets in: the API server. */
const CLIENT = 'kube-apiserver-kubelet-client'
/** The channels of a remote command: the first byte of each message. */
const CHANNEL = { stdout: 1, stderr: 2, error: 3 } as const
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io']

/**
 * A kubelet's own API: `GET /containerLogs/NS/POD/CONTAINER` and, over WebSocket, `/exec/NS/POD/CONTAINER`.
 * @param options.ca PEM of the authority that the API server's client certificate is of
 */
export async function serveKubelet(options: {
  address: string
  pair: KeyPair
  ca: string
  clock: Clock
  container(namespace: string, pod: string, name: string): NodeContainer | undefined
}): Promise<KubeletServer> {
  const { address, pair, ca, clock } = options
  const server = createServer(
    { ...pair, ca, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' },
    (request, response) => {
      if (!isApiServer(request)) return refuse(response, 401, 'Unauthorized')
      const { kind, container, query } = asked(request)
      if (kind !== 'containerLogs') return refuse(response, 404, '404 page not found')
      if (!container) return refuse(response, 404, 'container not found')
      sendLog(container.log, query, response, clock)
    },
  )
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => PROTOCOLS.find((one) => offered.has(one)) ?? false,
  })
  server.on('upgrade', (request, socket, head) => {
    const { kind, container, query } = asked(request)
    const refusal = !isApiServer(request)
      ? '401 Unauthorized'
      : kind === 'exec' && container
        ? undefined
        : '404 Not Found'
    if (refusal) return void socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\n\r\n`)
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      if (container) void run(container, query.getAll('command'), webSocket)
    })
  })
  server.listen(0, address)
  await once(server, 'listening')

  function asked(request: IncomingMessage) {
    const url = new URL(request.url ?? '', 'https://kubelet')
    const [, kind, ...rest] = url.pathname.split('/').map(decodeURIComponent)
    const [namespace = '', pod = '', name = ''] = rest
    return { kind, container: options.container(namespace, pod, name), query: url.searchParams }
  }

  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const client of sockets.clients) client.terminate()
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function isApiServer({ socket }: IncomingMessage): boolean {
  const { authorized } = socket as TLSSocket
  return authorized && (socket as TLSSocket).getPeerCertificate().subject?.CN === CLIENT
}

function refuse(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain' }).end(`${text}\n`)
}

function sendLog(
  log: ContainerLog,
  query: URLSearchParams,
  response: ServerResponse,
  clock: Clock,
): void {
  const wanted = logQuery(query)
  response.writeHead(200, { 'content-type': 'text/plain' })
  const limit = Number(query.get('limitBytes') ?? Number.POSITIVE_INFINITY)
  const text = log.read(wanted, clock.now()).map((line) => `${line}\n`)
  response.write(Buffer.from(text.join('')).subarray(0, limit))
  if (query.get('follow') !== 'true') {
    response.end()
    return
  }
  response.flushHeaders()
  const stop = log.follow(wanted, (line) => response.write(`${line}\n`))
  response.once('close', stop)
}

function logQuery(query: URLSearchParams): LogQuery {
  const [tailLines, sinceSeconds] = [query.get('tailLines'), query.get('sinceSeconds')]
  const sinceTime = query.get('sinceTime')
  return {
    ...(tailLines !== null && { tailLines: Number(tailLines) }),
    ...(sinceSeconds !== null && { sinceSeconds: Number(sinceSeconds) }),
    ...(sinceTime !== null && { sinceTime }),
    timestamps: query.get('timestamps') === 'true',
  }
}

async function run(container: NodeContainer, argv: string[], socket: WebSocket): Promise<void> {
  const send = (channel: number, text: string) =>
    socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]))
  socket.on('error', () => socket.terminate())
  const { stdout, stderr, code } = await container.run(argv).catch((err: unknown) => ({
    stdout: '',
    stderr: `${err}\n`,
    code: 1,
  }))
  if (stdout !== '') send(CHANNEL.stdout, stdout)
  if (stderr !== '') send(CHANNEL.stderr, stderr)
  const status = code === 0 ? { status: 'Success' } : failure(code)
  send(CHANNEL.error, JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, ...status }))
  socket.close(1000)
}

function failure(code: number) {
  return {
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  }
}
