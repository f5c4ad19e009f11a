import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { KeyPair } from '../certificates.ts'

/** Answers one question of the API server, JSON for JSON. */
export type Hook = (question: unknown) => object | Promise<object>

export interface Hooks {
  /** By path. */
  trusted: Record<string, Hook>
  /** By path. */
  secret: Record<string, Hook>
  aggregated(request: IncomingMessage, response: ServerResponse): void
}

export interface HookServer {
  port: number
  close(): Promise<void>
}

/**
 * The server that a real API server asks, on loopback. `trusted` hooks and the aggregated API answer only who has a
 * certificate of the lab's authority; `secret` ones are asked by who shows none, and have paths that nobody can guess.
 */
export async function startHookServer(
  identity: KeyPair & { ca: string },
  { trusted, secret, aggregated }: Hooks,
): Promise<HookServer> {
  const server = createServer(
    { ...identity, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const pathname = URL.parse(request.url ?? '/', 'https://hooks')?.pathname ?? ''
      const { authorized } = request.socket as TLSSocket
      if (authorized && pathname.startsWith('/apis/')) return aggregated(request, response)
      const hook = secret[pathname] ?? (authorized ? trusted[pathname] : undefined)
      if (!hook) return void response.writeHead(404).end()
      answer(hook, request, response).catch((err: unknown) => {
        if (!response.headersSent) response.writeHead(500)
        response.end(String(err))
      })
    },
  )
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  hook: Hook,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = JSON.stringify(await hook(JSON.parse(Buffer.concat(chunks).toString('utf8'))))
  response.writeHead(200, { 'content-type': 'application/json' }).end(text)
}
