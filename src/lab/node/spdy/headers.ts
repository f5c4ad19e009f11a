import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib'
import { SPDY_DICTIONARY } from './dictionary.ts'

/** Header blocks of one connection: both directions have one compression stream each for all of their blocks. */
export interface HeaderCodec {
  /** Blocks must be given in the order in which they came. */
  decode(block: Buffer): Promise<Record<string, string>>
  encode(headers: Record<string, string>): Promise<Buffer>
  close(): void
}

export function createHeaderCodec(): HeaderCodec {
  const inflate = createInflate({
    dictionary: SPDY_DICTIONARY,
    finishFlush: constants.Z_SYNC_FLUSH,
  })
  const deflate = createDeflate({ dictionary: SPDY_DICTIONARY, flush: constants.Z_SYNC_FLUSH })
  return {
    decode: async (block) => parseBlock(await pass(inflate, block)),
    encode: (headers) => pass(deflate, renderBlock(headers)),
    close: () => {
      inflate.destroy()
      deflate.destroy()
    },
  }
}

/** What the stream makes of these bytes, once it has taken them all. */
function pass(stream: Inflate | Deflate, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const collect = (chunk: Buffer) => chunks.push(chunk)
    const settle = (err?: Error | null) => {
      stream.off('data', collect)
      stream.off('error', settle)
      if (err) reject(err)
      else resolve(Buffer.concat(chunks))
    }
    stream.on('data', collect)
    stream.once('error', settle)
    stream.write(bytes, () => stream.flush(constants.Z_SYNC_FLUSH, () => settle()))
  })
}

function parseBlock(block: Buffer): Record<string, string> {
  let at = 0
  const number = () => {
    at += 4
    return block.readUInt32BE(at - 4)
  }
  const text = () => {
    const length = number()
    at += length
    return block.subarray(at - length, at).toString('utf8')
  }
  const headers: Record<string, string> = {}
  for (let left = number(); left > 0; left--) headers[text().toLowerCase()] = text()
  return headers
}

function renderBlock(headers: Record<string, string>): Buffer {
  const entries = Object.entries(headers)
  const texts = entries.flat().map((value) => Buffer.from(value))
  return Buffer.concat([uint32(entries.length), ...texts.flatMap((t) => [uint32(t.length), t])])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
