import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { channelStreams } from './channel-streams.ts'
import { type SpdyStream, serveSpdy } from './spdy/connection.ts'
import {
  acceptSpdy,
  acceptTunnel,
  acceptWebSocket,
  isSpdy,
  isWebSocket,
  offeredProtocols,
  refuseUpgrade,
  type UpgradeRequest,
} from './upgrades.ts'

/** The network of a pod, as far as it is there. */
export interface PodPorts {
  /** Of the pod's sandbox, for messages. */
  id: string
  /** Where a port of the pod is in truth; undefined where nothing can listen. */
  find(port: number): { host: string; port: number } | undefined
}

const PROTOCOL = 'portforward.k8s.io'
const TUNNEL = `SPDY/3.1+${PROTOCOL}`
const CHANNELS = 'v4.channel.k8s.io'

/**
 * `portForward`: connections to ports of a pod, two streams each (data, errors): of SPDY, bare or tunnelled through a
 * WebSocket, as many as are opened; or of a WebSocket's own channels, one connection for each port of the query.
 */
export async function servePortForward(
  call: UpgradeRequest,
  query: URLSearchParams,
  pod: PodPorts,
): Promise<void> {
  const { request, socket } = call
  const offered = offeredProtocols(request)
  if (isSpdy(request) && offered.includes(PROTOCOL))
    return serveSpdy(acceptSpdy(call, PROTOCOL), pairStreams(pod))
  if (isWebSocket(request) && offered.includes(TUNNEL))
    return serveSpdy(await acceptTunnel(call, TUNNEL), pairStreams(pod))
  const ports = query.getAll('port').map(Number)
  if (isWebSocket(request) && offered.includes(CHANNELS) && ports.length > 0)
    return overChannels(await acceptWebSocket(call, CHANNELS), ports, pod)
  refuseUpgrade(socket, 400, 'Bad Request', 'unable to upgrade: unknown protocol')
}

/** A connection is made when both of its streams are there; `requestID` tells which belong together. */
function pairStreams(pod: PodPorts): (stream: SpdyStream) => void {
  const waiting = new Map<string, SpdyStream>()
  return (stream) => {
    const { port = '', requestid = port, streamtype } = stream.headers
    const other = waiting.get(requestid)
    if (!other) {
      waiting.set(requestid, stream)
      return
    }
    waiting.delete(requestid)
    const [data, error] = streamtype === 'data' ? [stream, other] : [other, stream]
    forward(pod, Number(port), data, error)
  }
}

/** The connection ends with the last of its ports. */
function overChannels(webSocket: WebSocket, ports: number[], pod: PodPorts): void {
  const streams = channelStreams(webSocket, ports.length * 2)
  const open = new Set(streams)
  for (const stream of streams) {
    const over = () => {
      open.delete(stream)
      if (open.size === 0) webSocket.close()
    }
    stream.once('finish', over)
    stream.once('close', over)
  }
  ports.forEach((port, i) => {
    const [data, error] = streams.slice(2 * i)
    if (!data || !error) return
    // Each channel begins with the port that it is of.
    const header = Buffer.of(port & 0xff, port >> 8)
    data.write(header)
    error.write(header)
    forward(pod, port, data, error)
    // No direction ends alone: with the port's own end it is over.
    data.once('finish', () => error.end())
  })
}

function forward(pod: PodPorts, port: number, data: Duplex, error: Duplex): void {
  error.resume()
  const fail = (reason: string) => {
    const failed = `failed to connect to localhost:${port} inside namespace ${pod.id}: dial tcp 127.0.0.1:${port}: ${reason}`
    error.end(`error forwarding port ${port} to pod ${pod.id}, uid : ${failed}`)
    data.destroy()
  }
  const target = pod.find(port)
  if (!target) {
    fail('connect: connection refused')
    return
  }
  const socket = connect({ ...target, allowHalfOpen: true })
  socket.once('connect', () => data.pipe(socket).pipe(data))
  socket.once('error', (err: NodeJS.ErrnoException) =>
    fail(err.code === 'ECONNREFUSED' ? 'connect: connection refused' : err.message),
  )
  socket.once('close', () => {
    error.end()
    data.end()
  })
  // Its last bytes may still be on their way to the pod.
  data.once('close', () => (data.readableEnded ? socket.destroySoon() : socket.destroy()))
}
