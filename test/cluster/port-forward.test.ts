import { once } from 'node:events'
import { buffer, text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import type { WebSocket } from 'ws'
import { portForward } from '../../src/cluster/port-forward.ts'
import { connectTo } from './server.ts'
import { until } from './until.ts'
import { message, serveWebSockets } from './web-socket-server.ts'

const { signal } = new AbortController()
const PORT = 35_001
/** What each channel begins with. */
const HEADER = Buffer.from([PORT & 0xff, PORT >> 8])

async function forward(connected: (socket: WebSocket) => void) {
  const api = await serveWebSockets({ protocol: 'v4.channel.k8s.io', connected })
  const cluster = await connectTo(api)
  const at = { namespace: 'kubevirt', pod: 'virt-handler-x', port: PORT }
  const stream = await portForward(cluster, at, signal)
  onTestFinished(() => void stream.destroy())
  return { api, stream }
}

function begin(socket: WebSocket) {
  socket.send(message(0, HEADER))
  socket.send(message(1, HEADER))
}

test('bytes go both ways; what each channel begins with is not among them', async () => {
  const { api, stream } = await forward((socket) => {
    begin(socket)
    socket.on('message', (data: Buffer) => {
      socket.send(message(0, `got ${data[0]}:${data.subarray(1)}`))
      socket.close()
    })
  })
  stream.write('hello')
  expect(await text(stream)).toBe('got 0:hello')
  expect(api.asked[0]?.url.search).toBe('?ports=35001')
})

test('data that come with the header are kept', async () => {
  const { stream } = await forward((socket) => {
    socket.send(message(0, Buffer.concat([HEADER, Buffer.from('early')])))
    socket.close()
  })
  expect(await text(stream)).toBe('early')
})

test('what the server says on the error channel ends it with that error', async () => {
  const { stream } = await forward((socket) => {
    begin(socket)
    socket.send(message(1, 'connect: connection refused'))
  })
  stream.resume()
  const [err] = await once(stream, 'error')
  expect(err.message).toBe('connect: connection refused')
})

test('while nobody reads, what comes waits at the server', async () => {
  const size = 65_536
  const messages = 400
  let left: () => number = () => 0
  const { stream } = await forward((socket) => {
    begin(socket)
    for (let i = 0; i < messages; i++) socket.send(message(0, Buffer.alloc(size)))
    left = () => socket.bufferedAmount
    socket.close()
  })
  // The first read starts it; nothing is taken out.
  stream.read(0)
  await until(() => expect(stream.readableLength).toBeGreaterThan(0))
  expect(stream.readableLength).toBeLessThan(1_000_000)
  expect(left()).toBeGreaterThan(1_000_000)
  expect(await buffer(stream)).toHaveLength(size * messages)
})
