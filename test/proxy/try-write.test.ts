import { once } from 'node:events'
import { expect, test } from 'vitest'
import { canTryWrite, tryWrite } from '../../src/proxy/try-write.ts'
import { randomBytes, readAll, tempDir, unixPair } from './fixtures.ts'

test('it takes what there is room for, and then nothing, until the other end has read', async () => {
  const [near, far] = await unixPair(`${await tempDir()}/s`)
  far.pause()
  expect(canTryWrite(near)).toBe(true)
  const sent = randomBytes(2 ** 20)
  const taken = tryWrite(near, sent)
  expect(taken).toBeGreaterThan(0)
  expect(taken).toBeLessThan(sent.length)
  expect(tryWrite(near, sent.subarray(taken))).toBe(0)
  near.end()
  expect(await readAll(far.resume())).toEqual(sent.subarray(0, taken))
})

test('it never overtakes a write of node that waits', async () => {
  const [near, far] = await unixPair(`${await tempDir()}/s`)
  far.pause()
  const first = randomBytes(2 ** 20)
  near.write(first)
  expect(near.writableLength).toBeGreaterThan(0)
  expect(tryWrite(near, Buffer.from('later'))).toBe(0)
  near.end()
  expect(await readAll(far.resume())).toEqual(first)
})

test('a broken connection is told in the words of a socket', async () => {
  const [near, far] = await unixPair(`${await tempDir()}/s`)
  near.on('error', () => {})
  far.destroy()
  await once(far, 'close')
  expect(() => tryWrite(near, Buffer.from('x'))).toThrow(/^write (EPIPE|ECONNRESET)$/)
})

test('a socket that is gone takes nothing', async () => {
  const [near] = await unixPair(`${await tempDir()}/s`)
  near.destroy()
  expect(canTryWrite(near)).toBe(false)
  expect(tryWrite(near, Buffer.from('x'))).toBe(0)
})
