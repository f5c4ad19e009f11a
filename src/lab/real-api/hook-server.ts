import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { KeyPair } from '../certificates.ts'

/** Answers one question of the API server, JSON for JSON. */
export type Hook = (question: unknown) => object | Promise<object>

export interface HookServer {
  url: string
  close(): Promise<void>
}

/**
 * The server that a real API server asks, over mutual TLS on loopback: only who has a certificate of the lab's authority
 * is answered. `hooks` are by path.
 */
export async function startHookServer(
  identity: KeyPair & { ca: string },
  hooks: Record<string, Hook>,
): Promise<HookServer> {
  const server = createServer(
    { ...identity, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      answer(hooks, request, response).catch((err: unknown) => {
        if (!response.headersSent) response.writeHead(500)
        response.end(String(err))
      })
    },
  )
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  hooks: Record<string, Hook>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'https://hooks')
  const hook = hooks[pathname]
  if (!hook || !(request.socket as TLSSocket).authorized) {
    response.writeHead(404).end()
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = JSON.stringify(await hook(JSON.parse(Buffer.concat(chunks).toString('utf8'))))
  response.writeHead(200, { 'content-type': 'application/json' }).end(text)
}
