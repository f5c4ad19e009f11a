import { once } from 'node:events'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { fastIntake } from '../../src/proxy/fast-intake.ts'
import { surviveWriteErrors } from '../../src/proxy/leg.ts'
import { relay } from '../../src/proxy/relay.ts'
import { slabIntake } from '../../src/proxy/slab-intake.ts'
import { createSlabPool, LARGEST_SLAB } from '../../src/proxy/slab-pool.ts'
import { streamIntake } from '../../src/proxy/stream-intake.ts'
import {
  digest,
  echo,
  proxyPair,
  randomBytes,
  readAll,
  tempDir,
  unixClient,
  unixPair,
  until,
} from './fixtures.ts'
import { testPki } from './pki.ts'

const pki = await testPki()

const WAYS = [
  ['mutual TLS, into slabs', pki, false],
  ['mutual TLS, by streams', pki, true],
  ['no TLS, into slabs', 'disabled' as const, false],
  ['no TLS, by streams', 'disabled' as const, true],
] as const

describe.each(WAYS)('%s', (_, tls, plainStreams) => {
  const options = { plainStreams }

  test('streams of any size in pieces of any size come out as they went in, both ways', async () => {
    let reply: Buffer = Buffer.alloc(0)
    const got: Buffer[] = []
    const { file } = await proxyPair(
      tls,
      (socket) => {
        void send(socket, reply, 70_000)
        void readAll(socket).then((bytes) => got.push(bytes))
      },
      options,
    )
    const size = fc.oneof(
      fc.nat(100_000),
      fc.constantFrom(0, 1, 16_384, LARGEST_SLAB, LARGEST_SLAB + 1, 4 * LARGEST_SLAB + 17),
    )
    await fc.assert(
      fc.asyncProperty(
        size,
        size,
        fc.integer({ min: 1000, max: 300_000 }),
        async (there, back, piece) => {
          const sent = randomBytes(there)
          reply = randomBytes(back)
          const client = await unixClient(file)
          const answer = readAll(client)
          await send(client, sent, piece)
          expect(digest(await answer)).toBe(digest(reply))
          await until(() => got.length > 0)
          expect(digest(got.pop()!)).toBe(digest(sent))
        },
      ),
      { numRuns: 25, seed: 7 },
    )
  })

  test('what arrives while the backend is being dialled comes first', async () => {
    const { file } = await proxyPair(tls, echo, options)
    const client = await unixClient(file)
    const answer = readAll(client)
    client.write('first ')
    client.end('last')
    expect(String(await answer)).toBe('first last')
  })

  test('a backend that answers and goes without reading is heard to the end', async () => {
    const reply = randomBytes(3_000_000)
    const { file, source, target } = await proxyPair(
      tls,
      (socket) => socket.write(reply, () => socket.destroy()),
      options,
    )
    const client = await unixClient(file)
    const answer = readAll(client)
    const talk = setInterval(() => client.write('more? '.repeat(1000)), 1)
    expect(digest(await answer)).toBe(digest(reply))
    await Promise.all([source.idle(), target.idle()])
    clearInterval(talk)
  })

  test('both legs are closed within a second when one dies', async () => {
    const backends: Socket[] = []
    const { file, source, target } = await proxyPair(
      tls,
      (socket) => void backends.push(socket.resume()),
      options,
    )
    for (const dies of ['client', 'backend'] as const) {
      const client = await unixClient(file)
      client.write('x')
      await until(() => backends.length === 1)
      const backend = backends.pop()!
      const [dead, alive] = dies === 'client' ? [client, backend] : [backend, client]
      const busy = setInterval(() => alive.write('still here'), 5)
      const since = Date.now()
      dead.destroy()
      await Promise.all([closed(alive.resume()), source.idle(), target.idle()])
      clearInterval(busy)
      expect(Date.now() - since).toBeLessThan(1000)
    }
  })

  test('a stalled reader stops the sender and costs no more than a buffer', async () => {
    const { file, source, target } = await proxyPair(tls, (socket) => socket.pause(), options)
    const client = await unixClient(file)
    let accepted = 0
    const piece = Buffer.alloc(64 * 1024)
    const push = (err?: Error | null) => {
      if (!err) client.write(piece, push)
      accepted += piece.length
    }
    push()
    let before = -1
    while (accepted !== before) {
      before = accepted
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    // Two proxies, each with a pump and the kernel's buffers on both of its legs.
    expect(accepted).toBeLessThan(2 * 3 * LARGEST_SLAB + 12_000_000)
    await Promise.all([source.close(), target.close()])
  })
})

test.each([
  ['slabs', slabIntake(createSlabPool())],
  ['streams', streamIntake],
  ['the fastest', fastIntake(() => 1)],
])(
  'by %s: a failed write to one that left does not stop reading what it left',
  async (_, openIntake) => {
    const dir = await tempDir()
    const [client, inbound] = await unixPair(`${dir}/in`)
    const [backend, outbound] = await unixPair(`${dir}/out`)
    const ends: string[] = []
    const relayed = relay(
      { kind: 'unix', socket: inbound },
      { kind: 'unix', socket: outbound },
      {
        openIntake,
        lingerMs: 500,
        onFirst: () => {},
        onBytes: () => {},
        onEnd: (direction, { how }) => ends.push(`${direction} ${how}`),
      },
    )
    // More than the pump and the kernel behind it hold, so that some of it is still unread when the client goes.
    const sent = randomBytes(LARGEST_SLAB + 150_000)
    await new Promise<void>((resolve) => client.write(sent, () => resolve()))
    client.destroy()
    while (ends.length === 0) {
      backend.write('are you there?')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(ends).toEqual(['in write-failed'])
    expect(digest(await readAll(backend))).toBe(digest(sent))
    await relayed
  },
)

test('a proxy that is killed is told from one that ends: nothing is taken for complete', async () => {
  const { file, target, source } = await proxyPair(pki, (socket) => void socket.resume())
  const client = await unixClient(file)
  client.write('half of it')
  await until(() => target.connections()[0]?.bytesOut === 10)
  await source.close()
  await target.idle()
  expect(target.records).toContainEqual(
    expect.objectContaining({
      level: 'error',
      msg: 'error encountered copying data to outbound connection',
      reason: expect.stringContaining('unexpected EOF'),
    }),
  )
})

test('a target that dies later is not said to have refused us', async () => {
  let now = 0
  const clock = { ...systemClock, now: () => now }
  const { file, target, source } = await proxyPair(pki, (socket) => void socket.resume(), { clock })
  const client = await unixClient(file)
  client.write('x')
  await until(() => source.connections()[0]?.bytesOut === 1)
  now += 60_000
  await target.close()
  await source.idle()
  const [complaint] = source.records.filter(({ level }) => level === 'error')
  expect(complaint?.code).toBe('broke-off')
})

test('idle connections die with the other proxy', async () => {
  const { file, target, source } = await proxyPair(pki, (socket) => void socket.resume())
  const client = await unixClient(file)
  client.write('x')
  await until(() => source.connections()[0]?.bytesOut === 1)
  const since = Date.now()
  await target.close()
  await closed(client.resume())
  await source.idle()
  expect(Date.now() - since).toBeLessThan(1000)
})

function closed(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve).once('end', () => socket.end()))
}

async function send(socket: Socket, bytes: Buffer, piece: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += piece) {
    if (!socket.write(bytes.subarray(at, at + piece))) await once(socket, 'drain')
  }
  socket.end()
}

test('who sends everything and goes is heard to the end by a backend that takes its time', async () => {
  const backends: Socket[] = []
  const { file, source, target } = await proxyPair(pki, (socket) => void backends.push(socket), {
    limits: { lingerMs: 50 },
  })
  const client = await unixClient(file)
  const sent = randomBytes(3_000_000)
  // The backend reads nothing yet, so most of it has to wait on the way.
  await until(() => backends.length === 1)
  const backend = backends[0]!
  surviveWriteErrors(backend)
  const talk = setInterval(() => backend.write('are you there?'), 5)
  await new Promise<void>((resolve) => client.write(sent, () => resolve()))
  client.destroy()
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect(digest(await readAll(backend))).toBe(digest(sent))
  clearInterval(talk)
  backend.end()
  await Promise.all([source.idle(), target.idle()])
})
