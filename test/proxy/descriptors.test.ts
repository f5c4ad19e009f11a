import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { proxyPair, readAll, unixClient, until } from './fixtures.ts'
import { testPki } from './pki.ts'

const pki = await testPki()

/** Of this process, in which both proxies, the clients and the backend live. */
const descriptors = () => readdirSync('/proc/self/fd').length

describe('ten thousand connections leave no descriptor behind', () => {
  test.each([
    ['with TLS', pki, 1000],
    ['without', 'disabled' as const, 9000],
  ])('%s', { timeout: 120_000 }, async (_, tls, count) => {
    const { file, source, target } = await proxyPair(tls, (socket) => {
      // Some end in order, some break off, some don't even wait.
      socket.once('data', (bytes) => (bytes[0] === 1 ? socket.destroy() : socket.end(bytes)))
    })
    const before = descriptors()
    let next = 0
    const worker = async () => {
      while (next < count) {
        const kind = next++ % 4
        const client = await unixClient(file)
        client.write(Buffer.of(kind))
        if (kind === 2) client.destroy()
        else await readAll(client)
        client.destroy()
      }
    }
    await Promise.all(Array.from({ length: 50 }, worker))
    await Promise.all([source.idle(), target.idle()])
    await until(() => descriptors() <= before)
    expect(source.connections()).toEqual([])
  })
})
