import { createCipheriv, createHash } from 'node:crypto'

/** An endless stream of bytes that a name determines: what is sent, and what must come. */
export function bytesOf(name: string): (count: number) => Buffer {
  const key = createHash('sha256').update(name).digest()
  const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), key.subarray(16))
  return (count) => cipher.update(Buffer.alloc(count))
}
