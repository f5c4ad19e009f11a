import { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'

/**
 * The channels of a WebSocket (`v4.channel.k8s.io`: the first byte of each message) as streams. No direction can be ended
 * alone: a stream that has ended just says no more, and all end with the WebSocket.
 */
export function channelStreams(socket: WebSocket, count: number): Duplex[] {
  const streams = Array.from({ length: count }, (_, channel) => {
    const stream = new Duplex({
      read: () => socket.resume(),
      write(chunk: Buffer, _encoding, done) {
        if (socket.readyState !== socket.OPEN) return done()
        socket.send(Buffer.concat([Buffer.of(channel), chunk]), () => done())
      },
    })
    stream.on('error', () => {})
    return stream
  })
  socket.on('message', (data: Buffer) => {
    const stream = streams[data[0] ?? -1]
    if (stream && !stream.destroyed && !stream.push(data.subarray(1))) socket.pause()
  })
  socket.on('error', () => socket.terminate())
  socket.once('close', () => {
    for (const stream of streams) if (!stream.destroyed) stream.push(null)
  })
  return streams
}
