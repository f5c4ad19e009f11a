import { Duplex } from 'node:stream'
import {
  createFrameParser,
  dataFrame,
  type Frame,
  pingFrame,
  resetFrame,
  synReplyFrame,
} from './frames.ts'
import { createHeaderCodec } from './headers.ts'

const STATUS_CANCEL = 5
/** What one data frame carries at most. */
const MAX_DATA = 32 * 1024

/** One stream of a connection: bytes both ways, each direction ended by itself. */
export class SpdyStream extends Duplex {
  readonly id: number
  readonly headers: Readonly<Record<string, string>>
  readonly #transport: Duplex

  constructor(id: number, headers: Record<string, string>, transport: Duplex) {
    super({ allowHalfOpen: true })
    this.id = id
    this.headers = headers
    this.#transport = transport
  }

  /** The reader has room again. */
  override _read(): void {
    this.#transport.resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: (err?: Error | null) => void): void {
    for (let at = 0; at < chunk.length; at += MAX_DATA)
      this.#transport.write(dataFrame(this.id, chunk.subarray(at, at + MAX_DATA)))
    // Back-pressure is the transport's: SPDY's own windows are used by nobody here.
    if (this.#transport.writableNeedDrain) this.#transport.once('drain', done)
    else done()
  }

  override _final(done: (err?: Error | null) => void): void {
    if (this.#transport.writable) this.#transport.write(dataFrame(this.id, Buffer.alloc(0), true))
    done()
  }

  override _destroy(err: Error | null, done: (err?: Error | null) => void): void {
    if (!this.writableFinished && this.#transport.writable)
      this.#transport.write(resetFrame(this.id, STATUS_CANCEL))
    done(err)
  }
}

/**
 * The server's side of a SPDY/3.1 connection over any duplex: `onStream` gets each stream that the client opens, already
 * accepted. Everything ends with the transport.
 */
export function serveSpdy(transport: Duplex, onStream: (stream: SpdyStream) => void): void {
  const streams = new Map<number, SpdyStream>()
  const codec = createHeaderCodec()
  const parse = createFrameParser()
  // Header blocks are decoded asynchronously, and their order matters: frames wait for each other.
  let busy = Promise.resolve()

  const handle = async (frame: Frame): Promise<void> => {
    switch (frame.type) {
      case 'syn-stream': {
        const headers = await codec.decode(frame.headerBlock)
        const stream = new SpdyStream(frame.streamId, headers, transport)
        streams.set(frame.streamId, stream)
        stream.once('close', () => streams.delete(stream.id))
        // Without a listener an error would end the process; whoever uses the stream sees it close.
        stream.on('error', () => {})
        transport.write(synReplyFrame(frame.streamId, await codec.encode({})))
        if (frame.fin) stream.push(null)
        onStream(stream)
        return
      }
      case 'data': {
        const stream = streams.get(frame.streamId)
        // A reader that has enough stops the whole connection: there is no way to stop one stream alone.
        if (frame.data.length > 0 && stream?.push(Buffer.from(frame.data)) === false)
          transport.pause()
        if (frame.fin) stream?.push(null)
        return
      }
      case 'reset':
        streams.get(frame.streamId)?.destroy()
        return
      case 'ping':
        transport.write(pingFrame(frame.id))
    }
  }

  transport.on('data', (chunk: Buffer) => {
    try {
      for (const frame of parse(chunk))
        busy = busy.then(() => handle(frame)).catch(() => void transport.destroy())
    } catch {
      transport.destroy()
    }
  })
  transport.on('error', () => {})
  transport.once('end', () => transport.end())
  transport.once('close', () => {
    codec.close()
    for (const stream of streams.values()) stream.destroy()
  })
}
