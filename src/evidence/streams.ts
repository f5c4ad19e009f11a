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

/** All of a stream in memory; undefined when it is longer than the limit, in bytes. */
export async function collect(
  stream: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of copied(stream)) {
    size += chunk.length
    if (size > limit) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
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
  const claimed = createSizeReader()
  async function* watched() {
    for await (const chunk of stream) {
      packed += chunk.length
      claimed.see(chunk)
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
  if (!claimed.sizes().includes(size % 2 ** 32)) onTruncated()
}

const MEMBER_HEADER = 10
const SIZE_FIELD = 4

/**
 * What a gzip file says that it unpacks to, modulo 2^32: each of its members ends with its size (RFC 1952), and pigz,
 * bgzip and `cat a.gz b.gz` make several. zlib tells neither where one ends nor whether the last one did.
 */
function createSizeReader() {
  let tail: Buffer = Buffer.alloc(0)
  let sum = 0
  return {
    see(chunk: Uint8Array): void {
      const bytes = Buffer.concat([tail, chunk])
      const last = bytes.length - MEMBER_HEADER
      for (let at = bytes.indexOf(0x1f, SIZE_FIELD); at >= 0 && at <= last; ) {
        if (isMemberHeader(bytes, at)) sum += bytes.readUInt32LE(at - SIZE_FIELD)
        at = bytes.indexOf(0x1f, at + 1)
      }
      tail = bytes.subarray(Math.max(0, bytes.length - MEMBER_HEADER - SIZE_FIELD + 1))
    },
    /** Of the last member alone, and of all: a gzip file that is packed in another one looks like a further member. */
    sizes(): number[] {
      if (tail.length < SIZE_FIELD) return []
      const last = tail.readUInt32LE(tail.length - SIZE_FIELD)
      return [last, (sum + last) % 2 ** 32]
    },
  }
}

/** Magic, deflate, known flags, a known strength and operating system: by chance once in 10^11 bytes. */
function isMemberHeader(bytes: Buffer, at: number): boolean {
  const [flags, strength, system] = [bytes[at + 3]!, bytes[at + 8]!, bytes[at + 9]!]
  return (
    bytes[at + 1] === 0x8b &&
    bytes[at + 2] === 8 &&
    flags < 32 &&
    [0, 2, 4].includes(strength) &&
    (system < 14 || system === 255)
  )
}

/** A text as a stream of its bytes. */
export async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
