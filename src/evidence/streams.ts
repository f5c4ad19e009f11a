import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { constants, createGunzip } from 'node:zlib'

const PIECE = 256 * 1024

/** The first bytes of a stream, and a stream that still yields them all. */
export async function peek(
  stream: AsyncIterable<Uint8Array>,
  bytes: number,
): Promise<{ head: Uint8Array; stream: AsyncIterable<Uint8Array> }> {
  const iterator = stream[Symbol.asyncIterator]()
  const seen: Uint8Array[] = []
  let size = 0
  while (size < bytes) {
    const next = await iterator.next()
    if (next.done) break
    seen.push(next.value)
    size += next.value.length
  }
  // No generator: one that nobody has started would not pass on that it is to be closed.
  const all: AsyncIterator<Uint8Array> = {
    next: async () => {
      const value = seen.shift()
      return value === undefined ? iterator.next() : { value, done: false }
    },
    return: async (value) => {
      await iterator.return?.()
      return { value, done: true }
    },
  }
  const head = seen.length === 1 ? seen[0]! : Buffer.concat(seen)
  return { head: head.subarray(0, bytes), stream: { [Symbol.asyncIterator]: () => all } }
}

/**
 * A file in large pieces, all read into the same memory: a consumer must be done with a piece, or copy it, before it asks
 * for the next. That keeps a gigabyte of log from becoming a gigabyte of garbage.
 */
export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    const memory = Buffer.allocUnsafeSlow(PIECE)
    for (;;) {
      const { bytesRead } = await file.read(memory, 0, PIECE, null)
      if (bytesRead === 0) return
      yield memory.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** For consumers that hold on to what they were given. */
export async function* copied(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) yield Buffer.from(chunk)
}

/**
 * Unpacks gzip. A stream that is cut off yields all that came before the cut, then `onTruncated` is called: zlib alone
 * would throw it away. `guard` hears of every piece, and stops it by throwing.
 */
export async function* gunzip(
  stream: AsyncIterable<Uint8Array>,
  onTruncated: () => void,
  guard: (sizes: { piece: number; packed: number; unpacked: number }) => void,
): AsyncGenerator<Uint8Array> {
  let size = 0
  let packed = 0
  let tail: Buffer = Buffer.alloc(0)
  async function* watched() {
    for await (const chunk of stream) {
      packed += chunk.length
      tail = Buffer.concat([tail, chunk.subarray(-4)]).subarray(-4)
      yield chunk
    }
  }
  const unzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 256 * 1024 })
  const source = Readable.from(watched(), { objectMode: false })
  source.on('error', (err) => unzip.destroy(err))
  source.pipe(unzip)
  try {
    for await (const chunk of unzip) {
      size += chunk.length
      guard({ piece: chunk.length, packed, unpacked: size })
      yield chunk
    }
  } finally {
    source.destroy()
    unzip.destroy()
  }
  // RFC 1952: the last four bytes are the unpacked size, modulo 2^32.
  if (tail.length < 4 || tail.readUInt32LE(0) !== size % 2 ** 32) onTruncated()
}
