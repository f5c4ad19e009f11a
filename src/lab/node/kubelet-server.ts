import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Clock } from '../../clock.ts'
import { type KeyPair, KUBELET_CLIENT } from '../certificates.ts'
import type { ContainerLog } from './container-log.ts'
import { type RunCommand, serveExec } from './kubelet-exec.ts'
import { sendLog } from './kubelet-log.ts'
import { type PodPorts, servePortForward } from './kubelet-port-forward.ts'
import { refuseUpgrade, type UpgradeRequest } from './upgrades.ts'

/** A pod of this node, as its kubelet knows it. */
export interface KubeletPod {
  ports: PodPorts
  container(name: string): KubeletContainer | undefined
}

export interface KubeletContainer {
  /** What it says, or why that can't be had. @param previous of the container that it replaces */
  log(previous: boolean): ContainerLog | { refused: string }
  /** Undefined when it does not run. */
  run: RunCommand | undefined
}

export interface KubeletServer {
  port: number
  close(): Promise<void>
}

/**
 * A kubelet's own API, for the API server alone: `GET /containerLogs/NS/POD/CONTAINER`, and the upgrades
 * `/exec/NS/POD/CONTAINER` and `/portForward/NS/POD`.
 * @param options.ca PEM of the authority that the API server's client certificate is of
 */
export async function serveKubelet(options: {
  address: string
  pair: KeyPair
  ca: string
  clock: Clock
  pod(namespace: string, name: string): KubeletPod | undefined
}): Promise<KubeletServer> {
  const { address, pair, ca, clock } = options
  const connections = new Set<Duplex>()
  const server = createServer(
    { ...pair, ca, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' },
    (request, response) => {
      if (!isApiServer(request)) return refuse(response, 401, 'Unauthorized')
      const { kind, pod, podName, name, query } = asked(request)
      if (kind === 'healthz') return void response.end('ok')
      if (kind !== 'containerLogs') return refuse(response, 404, '404 page not found')
      if (!pod) return refuse(response, 404, `pod "${podName}" not found`)
      const log = pod.container(name)?.log(query.get('previous') === 'true')
      if (!log) return refuse(response, 404, `container "${name}" not found in pod "${podName}"`)
      if ('refused' in log) return refuse(response, 400, log.refused)
      sendLog(log, query, response, clock.now())
    },
  )
  server.on('upgrade', (request, socket, head) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    socket.on('error', () => socket.destroy())
    upgrade({ request, socket, head }).catch(() => socket.destroy())
  })
  server.listen(0, address)
  await once(server, 'listening')

  async function upgrade(call: UpgradeRequest): Promise<void> {
    const { request, socket } = call
    if (!isApiServer(request)) return refuseUpgrade(socket, 401, 'Unauthorized', 'Unauthorized')
    const { kind, pod, name, query } = asked(request)
    if (kind === 'attach') return refuseUpgrade(socket, 400, 'Bad Request', NO_ATTACH)
    if (kind !== 'exec' && kind !== 'portForward')
      return refuseUpgrade(socket, 404, 'Not Found', '404 page not found')
    if (!pod) return refuseUpgrade(socket, 404, 'Not Found', 'pod does not exist')
    if (kind === 'portForward') return servePortForward(call, query, pod.ports)
    const run = pod.container(name)?.run
    if (!run)
      return refuseUpgrade(
        socket,
        404,
        'Not Found',
        `container not found (${JSON.stringify(name)})`,
      )
    return serveExec(call, query, run)
  }

  function asked(request: IncomingMessage) {
    const url = new URL(request.url ?? '', 'https://kubelet')
    const [, kind, ...rest] = url.pathname.split('/').map(decodeURIComponent)
    const [namespace = '', podName = '', name = ''] = rest
    return { kind, podName, name, pod: options.pod(namespace, podName), query: url.searchParams }
  }

  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const connection of connections) connection.destroy()
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Without a colon: kubectl would take it for YAML, and for a Status that says nothing. */
const NO_ATTACH =
  'what runs in the pods of a lab has no input or terminal; read its log, or run a command of "kubectl mig diagnose proxy" in it'

function isApiServer({ socket }: IncomingMessage): boolean {
  const { authorized } = socket as TLSSocket
  return authorized && (socket as TLSSocket).getPeerCertificate().subject?.CN === KUBELET_CLIENT
}

function refuse(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain' }).end(`${text}\n`)
}
