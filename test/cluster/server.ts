import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { type ClusterOptions, connect } from '../../src/cluster/config.ts'
import { type Authority, createAuthority, type KeyPair } from '../../src/lab/certificates.ts'

const HOUR = 3_600_000

export interface Seen {
  method: string
  /** Path and query. */
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** Answers a request; what it returns goes out as JSON, unless it has answered itself. */
export type Handler = (seen: Seen, response: ServerResponse, request: IncomingMessage) => unknown

export interface TestServer {
  url: string
  ca: string
  seen: Seen[]
  /** Connections that were ever opened. */
  connections(): number
  /** Cuts all connections, as a crash does. */
  cut(): void
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

let authority: Promise<Authority> | undefined
/** One authority a test file: keys take time. */
export const testAuthority = () =>
  (authority ??= createAuthority('test-ca', {
    notBefore: Date.now() - HOUR,
    notAfter: Date.now() + HOUR,
  }))

export async function clientPair(
  commonName = 'tester',
  notAfter = Date.now() + HOUR,
): Promise<KeyPair> {
  const ca = await testAuthority()
  return ca.issue({ commonName, usage: ['client'], notBefore: Date.now() - 2 * HOUR, notAfter })
}

export interface ServerOptions {
  plain?: boolean
  /** Names in the certificate. */
  names?: string[]
  notAfter?: number
  port?: number
  requestClientCertificate?: boolean
}

export async function startServer(
  handler: Handler,
  options: ServerOptions = {},
): Promise<TestServer> {
  const ca = await testAuthority()
  const pair = await ca.issue({
    commonName: 'kube-apiserver',
    usage: ['server'],
    names: options.names ?? ['127.0.0.1', 'localhost'],
    notBefore: Date.now() - 2 * HOUR,
    notAfter: options.notAfter ?? Date.now() + HOUR,
  })
  const seen: Seen[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const one: Seen = {
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: await text(request),
    }
    seen.push(one)
    const result = await handler(one, response, request)
    if (result === undefined || response.headersSent || response.destroyed) return
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(result))
  }
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void answer(request, response).catch((err) => response.destroy(err))
  const server = options.plain
    ? http.createServer(listener)
    : https.createServer(
        {
          ...pair,
          ca: ca.cert,
          requestCert: options.requestClientCertificate ?? false,
          rejectUnauthorized: options.requestClientCertificate ?? false,
        },
        listener,
      )
  let connections = 0
  const sockets = new Set<import('node:net').Socket>()
  server.on('connection', (socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
  })
  server.on('tlsClientError', () => undefined)
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  const close = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    cut()
    await closed
  }
  return {
    url: `${options.plain ? 'http' : 'https'}://127.0.0.1:${port}`,
    ca: ca.cert,
    seen,
    connections: () => connections,
    cut,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** A server that closes when the test ends. */
export async function serve(handler: Handler, options?: ServerOptions): Promise<TestServer> {
  return closing(await startServer(handler, options))
}

/** A connection to a server that closes when the test ends; its environment holds nothing but the PATH. */
export async function connectTo(
  server: { url: string; ca: string },
  parts: KubeconfigParts = {},
  options: ClusterOptions = {},
): Promise<Cluster> {
  const env = { PATH: process.env['PATH'] }
  return closing(await connect({ kubeconfigText: kubeconfig(server, parts), env, ...options }))
}

/** Closes it when the test ends; what was opened last, first. */
export function closing<T extends { close(): Promise<void> }>(thing: T): T {
  onTestFinished(() => thing.close())
  return thing
}

/** Answers with a Status, as a Kubernetes API does. */
export function status(
  response: ServerResponse,
  code: number,
  body: object,
  headers: Record<string, string> = {},
) {
  response.writeHead(code, { 'content-type': 'application/json', ...headers })
  response.end(
    JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, ...body }),
  )
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

export interface KubeconfigParts {
  user?: object
  cluster?: object
  context?: object
}

/** A kubeconfig of one context `test`, as JSON, which is YAML. */
export function kubeconfig(
  server: { url: string; ca: string },
  { user = {}, cluster = {}, context = {} }: KubeconfigParts = {},
): string {
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      contexts: [
        { name: 'test', context: { cluster: 'c', user: 'u', namespace: 'demo', ...context } },
      ],
      clusters: [
        {
          name: 'c',
          cluster: {
            server: server.url,
            ...(server.url.startsWith('https') && {
              'certificate-authority-data': base64(server.ca),
            }),
            ...cluster,
          },
        },
      ],
      users: [{ name: 'u', user }],
    },
    null,
    1,
  )
}
