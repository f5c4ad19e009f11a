import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../../src/clock.ts'
import { createLink } from '../../../../src/lab/node/faults/link.ts'

const MIB = 2 ** 20

/** Somebody who sends over the link, and how much has come through. */
async function over(link: ReturnType<typeof createLink>) {
  let received = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', ({ length }) => {
      received += length
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const relay = await link.relay('127.0.0.1', (server.address() as AddressInfo).port)
  const client = connect({ host: '127.0.0.1', port: relay.port })
  onTestFinished(() => {
    client.destroy()
    relay.close()
    server.close()
  })
  return {
    send: (bytes: number) => client.write(Buffer.alloc(bytes)),
    received: () => received,
    waiting: () => client.writableLength,
  }
}

test('a link that stalls holds up what comes after so many bytes, and lets it all go when it is well again', async () => {
  const link = createLink(systemClock)
  const { send, received, waiting } = await over(link)
  link.set({ after: MIB })
  send(64 * MIB)
  await expect.poll(received).toBeGreaterThanOrEqual(MIB)
  await systemClock.sleep(100)
  expect([received() < 2 * MIB, waiting() > 0]).toEqual([true, true])
  link.set(undefined)
  await expect.poll(received, { timeout: 10_000 }).toBe(64 * MIB)
})

test('a slow link keeps to its rate', async () => {
  const link = createLink(systemClock)
  const { send, received } = await over(link)
  link.set({ rate: 4 * MIB })
  const from = performance.now()
  send(2 * MIB)
  await expect.poll(received, { timeout: 10_000 }).toBe(2 * MIB)
  expect(performance.now() - from).toBeGreaterThan(300)
})
