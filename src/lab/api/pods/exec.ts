import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import type { Api } from '../api.ts'
import { type SpdyStream, serveSpdy } from '../spdy/connection.ts'
import { badRequest, internalError } from '../status.ts'
import type { UpgradeCall, UpgradeRoute } from '../upgrade.ts'
import {
  demandContainer,
  demandKubelet,
  demandPod,
  type Kubelet,
  kubeletRequest,
} from './kubelet.ts'
import { acceptSpdy, isSpdy, isWebSocket } from './protocols.ts'

/** The channels of a remote command: the first byte of each WebSocket message (`v5.channel.k8s.io`). */
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const

/**
 * `pods/NAME/exec`: a command in a container, by way of the node's kubelet, which speaks WebSocket. Clients that do so too
 * (kubectl from 1.31) are connected through; SPDY (older ones) is translated.
 */
export const execRoute: UpgradeRoute = {
  resource: 'pods',
  subresource: 'exec',
  handle(api, call) {
    const { info, query } = call
    const pod = demandPod(api, info.namespace, info.name!)
    const container = demandContainer(pod, query.get('container'))
    if (!query.has('command'))
      throw badRequest('you must specify at least 1 command for the container')
    const kubelet = demandKubelet(api, pod)
    const path = `/exec/${info.namespace}/${info.name}/${container}?${kubeletQuery(query)}`
    if (isWebSocket(call.request)) return connectThrough(api, call, kubelet, path)
    if (isSpdy(call.request)) return translate(api, call, kubelet, path)
    throw badRequest('unable to upgrade: unknown protocol')
  },
}

/** As a kubelet has it: `input=1&output=1&error=1&tty=1&command=…`. */
function kubeletQuery(query: URLSearchParams): URLSearchParams {
  const flags = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' }
  return new URLSearchParams([
    ...Object.entries(flags)
      .filter(([name]) => isOn(query, name))
      .map(([, name]) => [name, '1'] as [string, string]),
    ...query.getAll('command').map((word) => ['command', word] as [string, string]),
  ])
}

function isOn(query: URLSearchParams, name: string): boolean {
  return ['true', '1'].includes(query.get(name) ?? '')
}

/** Both speak the same: the kubelet answers the client's own handshake. */
function connectThrough(
  api: Api,
  call: UpgradeCall,
  kubelet: Kubelet,
  path: string,
): Promise<void> {
  const { request, socket, head } = call
  const kept = ['connection', 'upgrade']
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) => kept.includes(name) || name.startsWith('sec-websocket-'),
    ),
  )
  return new Promise((resolve, reject) => {
    const outgoing = kubeletRequest(api, kubelet, path, { headers })
    outgoing.on('upgrade', (answer, upstream, upstreamHead) => {
      const lines = answer.rawHeaders.flatMap((name, i, all) =>
        i % 2 === 0 ? [`${name}: ${all[i + 1]}`] : [],
      )
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
      upstream.on('error', () => socket.destroy())
      upstream.once('close', () => socket.destroy())
      socket.once('close', () => upstream.destroy())
      socket.write(upstreamHead)
      upstream.write(head)
      socket.pipe(upstream).pipe(socket)
      resolve()
    })
    outgoing.on('response', (answer) => {
      answer.resume()
      reject(internalError(`error dialing backend: the kubelet answered ${answer.statusCode}`))
    })
    outgoing.on('error', (err) => reject(internalError(`error dialing backend: ${err.message}`)))
    outgoing.end()
  })
}

async function translate(
  api: Api,
  call: UpgradeCall,
  kubelet: Kubelet,
  path: string,
): Promise<void> {
  const { query } = call
  const upstream = await dial(api, kubelet, path)
  const wanted = ['error', ...['stdin', 'stdout', 'stderr'].filter((name) => isOn(query, name))]
  const streams = new Map<string, SpdyStream>()
  const transport = acceptSpdy(call, 'v4.channel.k8s.io')
  transport.once('close', () => upstream.terminate())
  serveSpdy(transport, (stream) => {
    const name = stream.headers['streamtype'] ?? ''
    streams.set(name, stream)
    if (name === 'resize') forward(stream, upstream, CHANNEL.resize)
    if (streams.size >= wanted.length && wanted.every((one) => streams.has(one)))
      join(streams, upstream, transport)
  })
}

function dial({ kubeletClient }: Api, { host, port }: Kubelet, path: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const upstream = new WebSocket(`wss://${host}:${port}${path}`, ['v5.channel.k8s.io'], {
      ...kubeletClient,
      rejectUnauthorized: false,
    })
    upstream.once('error', (err) => reject(internalError(`error dialing backend: ${err.message}`)))
    upstream.once('open', () => {
      upstream.pause()
      resolve(upstream)
    })
  })
}

function join(streams: Map<string, SpdyStream>, upstream: WebSocket, transport: Duplex): void {
  const stdin = streams.get('stdin')
  if (stdin) {
    forward(stdin, upstream, CHANNEL.stdin)
    stdin.once('end', () => upstream.send(Buffer.from([CHANNEL.close, CHANNEL.stdin])))
  }
  const names = Object.entries(CHANNEL)
  upstream.on('message', (data: Buffer) => {
    const name = names.find(([, channel]) => channel === data[0])?.[0] ?? ''
    const stream = streams.get(name)
    if (stream && data.length > 1) stream.write(data.subarray(1))
  })
  upstream.on('error', () => transport.destroy())
  upstream.once('close', () => {
    for (const stream of streams.values()) stream.end()
    transport.end()
  })
  upstream.resume()
}

function forward(stream: SpdyStream, upstream: WebSocket, channel: number): void {
  stream.on('data', (chunk: Buffer) => {
    upstream.send(Buffer.concat([Buffer.from([channel]), chunk]))
  })
}
