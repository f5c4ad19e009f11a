import { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { PODS, pathOf } from '../kubevirt/resources.ts'
import type { Cluster } from './cluster.ts'

/**
 * `v4.channel.k8s.io` is in every release of Kubernetes that KubeVirt 1.0 runs on, and needs no framing of its own, unlike
 * the SPDY streams that kubectl uses.
 */
const PROTOCOL = 'v4.channel.k8s.io'
const CHANNEL = { data: 0, error: 1 } as const
/** Each channel begins with the port's number, two bytes. */
const HEADER = 2
const HIGH_WATER = 64 * 1024

/**
 * One connection to a port of a pod, as the pod's own loopback would reach it; each call is a connection of its own. It is
 * destroyed with an error when the server tells of one. The signal ends only the opening.
 * @throws MigError: refused (8), no such pod (9), the pod does not run (1)
 */
export async function portForward(
  cluster: Cluster,
  { namespace, pod, port }: { namespace: string; pod: string; port: number },
  signal: AbortSignal,
): Promise<Duplex> {
  const socket = await cluster.upgrade(
    {
      path: pathOf(PODS, { namespace, name: pod, subresource: 'portforward' }),
      query: { ports: port },
      signal,
    },
    [PROTOCOL],
  )
  return streamOf(socket)
}

/**
 * The data channel as a stream. The protocol cannot end one direction alone: ending it closes the connection once all is
 * sent. While nobody reads, the WebSocket is paused, so that memory does not grow.
 */
function streamOf(socket: WebSocket): Duplex {
  const skip: Record<number, number> = { [CHANNEL.data]: HEADER, [CHANNEL.error]: HEADER }
  const stream = new Duplex({
    highWaterMark: HIGH_WATER,
    read: () => socket.resume(),
    write(chunk: Buffer, _encoding, done) {
      socket.send(Buffer.concat([Buffer.of(CHANNEL.data), chunk]), (err) => done(err))
    },
    final(done) {
      socket.close()
      done()
    },
    destroy(err, done) {
      socket.terminate()
      done(err)
    },
  })
  socket.on('message', (data: Buffer) => {
    const [channel = -1] = data
    const left = skip[channel] ?? 0
    skip[channel] = Math.max(0, left - (data.length - 1))
    const content = data.subarray(1 + left)
    if (content.length === 0) return
    if (channel === CHANNEL.error) stream.destroy(new Error(content.toString().trim()))
    else if (channel === CHANNEL.data && !stream.push(content)) socket.pause()
  })
  socket.on('error', (err) => stream.destroy(err))
  socket.once('close', () => {
    if (!stream.destroyed) stream.push(null)
  })
  return stream
}
