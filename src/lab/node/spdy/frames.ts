/** The frames of SPDY/3.1, as far as kubectl and client-go's spdystream speak it (no flow control, no priorities). */
export type Frame =
  | { type: 'data'; streamId: number; fin: boolean; data: Buffer }
  | { type: 'syn-stream'; streamId: number; fin: boolean; headerBlock: Buffer }
  | { type: 'syn-reply'; streamId: number; fin: boolean; headerBlock: Buffer }
  | { type: 'reset'; streamId: number; status: number }
  | { type: 'ping'; id: number }
  | { type: 'goaway' }
  | { type: 'other' }

const HEADER = 8
const FLAG_FIN = 1
const VERSION = 0x8003
const TYPE = { synStream: 1, synReply: 2, reset: 3, ping: 6, goaway: 7 }
/** Lengths have 24 bits, but nobody sends frames like that: a larger one is no SPDY. */
const MAX_LENGTH = 4 * 1024 * 1024

/** Cuts a stream of bytes into frames, however it was split. Throws RangeError for what is no SPDY/3.1. */
export function createFrameParser(): (chunk: Buffer) => Frame[] {
  let pending: Buffer = Buffer.alloc(0)
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    const frames: Frame[] = []
    while (pending.length >= HEADER) {
      const length = pending.readUIntBE(5, 3)
      if (length > MAX_LENGTH) throw new RangeError(`SPDY frame of ${length} bytes`)
      if (pending.length < HEADER + length) break
      frames.push(parse(pending.subarray(0, HEADER), pending.subarray(HEADER, HEADER + length)))
      pending = pending.subarray(HEADER + length)
    }
    return frames
  }
}

function parse(header: Buffer, body: Buffer): Frame {
  const first = header.readUInt32BE(0)
  const fin = (header[4]! & FLAG_FIN) !== 0
  if (first >>> 31 === 0) return { type: 'data', streamId: first, fin, data: body }
  if (first >>> 16 !== VERSION) throw new RangeError('not SPDY/3.1')
  const word = (offset: number) => (body.length >= offset + 4 ? body.readUInt32BE(offset) : 0)
  const streamId = word(0) & 0x7fffffff
  switch (first & 0xffff) {
    case TYPE.synStream:
      return { type: 'syn-stream', streamId, fin, headerBlock: body.subarray(10) }
    case TYPE.synReply:
      return { type: 'syn-reply', streamId, fin, headerBlock: body.subarray(4) }
    case TYPE.reset:
      return { type: 'reset', streamId, status: word(4) }
    case TYPE.ping:
      return { type: 'ping', id: word(0) }
    case TYPE.goaway:
      return { type: 'goaway' }
    default:
      return { type: 'other' }
  }
}

export function dataFrame(streamId: number, data: Buffer, fin = false): Buffer {
  const header = Buffer.alloc(HEADER)
  header.writeUInt32BE(streamId, 0)
  header[4] = fin ? FLAG_FIN : 0
  header.writeUIntBE(data.length, 5, 3)
  return Buffer.concat([header, data])
}

export function synReplyFrame(streamId: number, headerBlock: Buffer): Buffer {
  return controlFrame(TYPE.synReply, Buffer.concat([uint32(streamId), headerBlock]))
}

export function resetFrame(streamId: number, status: number): Buffer {
  return controlFrame(TYPE.reset, Buffer.concat([uint32(streamId), uint32(status)]))
}

export function pingFrame(id: number): Buffer {
  return controlFrame(TYPE.ping, uint32(id))
}

function controlFrame(type: number, body: Buffer): Buffer {
  const header = Buffer.alloc(HEADER)
  header.writeUInt16BE(VERSION, 0)
  header.writeUInt16BE(type, 2)
  header.writeUIntBE(body.length, 5, 3)
  return Buffer.concat([header, body])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}
