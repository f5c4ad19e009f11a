import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, Gauge, Registry } from 'prom-client'
import { EXIT, MigError } from '../errors.ts'
import type { ConnectionState } from './connection.ts'
import { joinHostPort } from './dial.ts'
import type { Tally } from './tally.ts'

export interface MetricsSource {
  open(): ConnectionState[]
  tallies(): Tally[]
}

export interface MetricsServer {
  /** The real one, when 0 was asked for. */
  port: number
  close(): Promise<void>
}

/** Serves `/metrics` for Prometheus. @throws MigError `listen-failed` */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  source: MetricsSource,
): Promise<MetricsServer> {
  const registry = createRegistry(source)
  const server = createServer(async (request, response) => {
    // By hand: what is no URL, as `//[`, must not end the streams.
    if (request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end('metrics are at /metrics\n')
      return
    }
    response.setHeader('content-type', registry.contentType)
    response.end(await registry.metrics())
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    const { message } = cause as Error
    throw new MigError(
      EXIT.error,
      `can't serve metrics on ${joinHostPort(host, port)}: ${message}`,
      {
        code: 'listen-failed',
        cause,
      },
    )
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function createRegistry({ open, tallies }: MetricsSource): Registry {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({
    name: 'kubectl_mig_proxy_connections',
    help: 'Streams that are open now.',
    labelNames: ['role', 'label', 'phase'],
    registers,
    collect() {
      this.reset()
      for (const { role, label, phase } of open()) this.inc({ role, label, phase })
    },
  })
  new Gauge({
    name: 'kubectl_mig_proxy_bytes_per_second',
    help: 'What is moved now, lately; out is towards the target.',
    labelNames: ['role', 'label', 'direction'],
    registers,
    collect() {
      this.reset()
      for (const { role, label, rateOut, rateIn } of open()) {
        this.inc({ role, label, direction: 'out' }, rateOut)
        this.inc({ role, label, direction: 'in' }, rateIn)
      }
    },
  })
  counter(registry, 'connections', 'Streams that were taken in.', [], ({ connections }) => [
    [{}, connections],
  ])
  counter(
    registry,
    'bytes',
    'What was delivered; out is towards the target.',
    ['direction'],
    ({ bytesOut, bytesIn }) => [
      [{ direction: 'out' }, bytesOut],
      [{ direction: 'in' }, bytesIn],
    ],
  )
  counter(
    registry,
    'failures',
    'Streams that did not end by the will of both their ends.',
    ['code'],
    ({ failures }) => Object.entries(failures).map(([code, times]) => [{ code }, times]),
  )
  return registry

  function counter(
    of: Registry,
    what: string,
    help: string,
    labels: string[],
    values: (tally: Tally) => [Record<string, string>, number][],
  ): void {
    new Counter({
      name: `kubectl_mig_proxy_${what}_total`,
      help,
      labelNames: ['role', 'label', ...labels],
      registers: [of],
      collect() {
        this.reset()
        for (const tally of tallies()) {
          const { role, label } = tally
          for (const [more, value] of values(tally)) this.inc({ role, label, ...more }, value)
        }
      },
    })
  }
}
