import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { reset } from '../../src/proxy/leg.ts'
import { readAll } from './fixtures.ts'

test('a reset tells the peer at once', async () => {
  const [near, far] = await tcpPair()
  near.write('x')
  await once(far, 'data')
  reset({ kind: 'tcp', socket: near })
  expect(await once(far, 'error')).toMatchObject([{ code: 'ECONNRESET' }])
})

test('a leg that is just being told the end is closed by a reset too', async () => {
  const [near, far] = await tcpPair()
  near.end()
  await new Promise(process.nextTick)
  expect(near).toMatchObject({ writableEnded: true, writableFinished: false })
  const ended = readAll(far)
  reset({ kind: 'tcp', socket: near })
  await Promise.all([once(near, 'close'), ended])
})

/** Both ends of a TCP connection; the second is the accepted one. */
async function tcpPair(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const near = connect((server.address() as { port: number }).port, '127.0.0.1')
  const [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [
    [Socket],
    unknown,
  ]
  for (const socket of [near, far]) socket.on('error', () => {})
  onTestFinished(() => {
    for (const socket of [near, far]) socket.destroy()
    server.close()
  })
  return [near, far]
}
