import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { KeyPair } from '../certificates.ts'

export interface MetricsServer {
  port: number
  close(): Promise<void>
}

/** virt-handler's own small HTTPS server: /metrics and /healthz, no client certificate needed. */
export async function serveMetrics(options: {
  address: string
  pair: KeyPair
  text(): string
}): Promise<MetricsServer> {
  const server = createServer({ ...options.pair, minVersion: 'TLSv1.2' }, (request, response) => {
    const path = request.url?.split('?')[0]
    if (path === '/metrics') {
      response.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
      response.end(options.text())
    } else if (path === '/healthz') {
      response.end('ok')
    } else {
      response.statusCode = 404
      response.end('404 page not found\n')
    }
  })
  server.listen(0, options.address)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
