import { connect } from 'node:net'
import type { Pod } from '../../../kubevirt/types.ts'
import { type SpdyStream, serveSpdy } from '../spdy/connection.ts'
import { badRequest } from '../status.ts'
import type { UpgradeCall, UpgradeRoute } from '../upgrade.ts'
import { demandPod } from './kubelet.ts'
import { realPort } from './ports.ts'
import { acceptSpdy, acceptTunnel, isSpdy, isWebSocket } from './protocols.ts'

const PROTOCOL = 'portforward.k8s.io'
const TUNNEL = `SPDY/3.1+${PROTOCOL}`

/**
 * `pods/NAME/portforward`: connections to ports of a pod, two streams each (data, errors). A lab's pods are processes of
 * this machine, so the server connects to them itself.
 */
export const portForwardRoute: UpgradeRoute = {
  resource: 'pods',
  subresource: 'portforward',
  async handle(api, call) {
    const { info } = call
    const pod = demandPod(api, info.namespace, info.name!)
    if (pod.status?.phase !== 'Running')
      throw badRequest(
        `unable to forward port because pod is not running. Current status=${pod.status?.phase}`,
      )
    serveSpdy(await transportOf(call), pairStreams(pod))
  },
}

function transportOf(call: UpgradeCall) {
  const { request } = call
  if (isSpdy(request)) return acceptSpdy(call, PROTOCOL)
  const offered = request.headers['sec-websocket-protocol'] ?? ''
  if (isWebSocket(request) && offered.includes(TUNNEL)) return acceptTunnel(call, TUNNEL)
  throw badRequest('unable to upgrade: unknown protocol')
}

/** A connection is made when both of its streams are there; `requestID` tells which belong together. */
function pairStreams(pod: Pod): (stream: SpdyStream) => void {
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

function forward(pod: Pod, port: number, data: SpdyStream, error: SpdyStream): void {
  const host = pod.status?.podIP ?? '127.0.0.1'
  const socket = connect({ host, port: realPort(pod, port), allowHalfOpen: true })
  error.resume()
  socket.once('connect', () => data.pipe(socket).pipe(data))
  socket.once('error', (err) => {
    error.end(
      `error forwarding port ${port} to pod ${pod.metadata.uid}, uid : failed to connect to ${host}:${port}: ${err.message}`,
    )
    data.destroy()
  })
  socket.once('close', () => {
    error.end()
    data.end()
  })
  // Its last bytes may still be on their way to the pod.
  data.once('close', () => (data.readableEnded ? socket.destroySoon() : socket.destroy()))
}
