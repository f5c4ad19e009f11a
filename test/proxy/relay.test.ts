import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HIGH_WATER } from '../../src/proxy/intake.ts'
import { SLAB_SIZE } from '../../src/proxy/slab-pool.ts'
import { digest, echo, proxyPair, randomBytes, readAll, unixClient, until } from './fixtures.ts'
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
      fc.constantFrom(0, 1, 16_384, SLAB_SIZE, HIGH_WATER, HIGH_WATER + 1, 4 * SLAB_SIZE + 17),
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

  test('a client that sends everything and goes, while the backend still talks, loses nothing', async () => {
    const sent = randomBytes(8_000_000)
    let received: Promise<Buffer> | undefined
    const { file, source, target } = await proxyPair(
      tls,
      (socket) => {
        received = slowReadAll(socket)
        const talk = setInterval(() => socket.write('are you there? '), 1)
        socket.once('close', () => clearInterval(talk)).once('end', () => socket.end())
      },
      options,
    )
    // A process of its own: its end closes the socket with the backend's words unread in it.
    const child = spawn(process.execPath, ['-e', SEND_AND_GO, file], {
      stdio: ['pipe', 'inherit', 'inherit'],
    })
    child.stdin.end(sent)
    await once(child, 'exit')
    await until(() => received !== undefined)
    expect(digest(await received!)).toBe(digest(sent))
    await Promise.all([source.idle(), target.idle()])
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
    expect(accepted).toBeLessThan(2 * (HIGH_WATER + 2 * SLAB_SIZE) + 12_000_000)
    await Promise.all([source.close(), target.close()])
  })
})

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

const SEND_AND_GO = `
  const client = require('net').connect(process.argv[1], () =>
    process.stdin.pipe(client).on('finish', () => process.exit()))`

function closed(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve).once('end', () => socket.end()))
}

async function send(socket: Socket, bytes: Buffer, piece: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += piece) {
    if (!socket.write(bytes.subarray(at, at + piece))) await once(socket, 'drain')
  }
  socket.end()
}

/** Reads a piece, waits, reads on: everything before it is full. */
async function slowReadAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk)
    if (chunks.length % 8 === 0) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return Buffer.concat(chunks)
}
