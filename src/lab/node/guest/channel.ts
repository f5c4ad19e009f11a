import type { Duplex } from 'node:stream'
import { PAGE_BYTES, PAGES_PER_BLOCK, type PagedStore } from './paged-store.ts'

/**
 * The stream of one data channel between two synthetic guests, over any duplex stream: frames of an 8-byte head
 * (kind, number of pages, first page or length) and a body. Pages and DONE go to the target, the rest to the source.
 */
const KIND = {
  /** head: count, first page; body: the pages. */
  pages: 1,
  /** head: length; body: JSON. What moves beside the memory. */
  state: 2,
  /** head: length; body: one byte a page, 1 for those still to come: post-copy begins. */
  missing: 3,
  /** All has been sent. */
  done: 4,
  /** To the source: all has arrived. */
  received: 5,
  /** To the source: the guest runs, post-copy. */
  resumed: 6,
  /** To the source; head: a page that the guest waits for. */
  request: 7,
} as const

const HEAD_BYTES = 8
const LONGEST_STATE = 2 ** 16

export interface ChannelHandlers {
  /** Where the pages go; undefined on the side that gets none. */
  store?: PagedStore
  onPages?(first: number, count: number): void
  onState?(state: unknown): void
  onMissing?(flags: Buffer): void
  onDone?(): void
  onReceived?(): void
  onResumed?(): void
  onRequest?(page: number): void
}

/** One side of a data channel. The first thing that goes wrong ends it: `failed` is aborted with the reason. */
export class Channel {
  readonly #socket: Duplex
  readonly #handlers: ChannelHandlers
  readonly #failed = new AbortController()
  #frame: Frame
  #closing = false

  constructor(socket: Duplex, handlers: ChannelHandlers) {
    this.#socket = socket
    this.#handlers = handlers
    this.#frame = head()
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (err) => this.fail(err))
    socket.on('close', () => this.fail(new ChannelClosed()))
    socket.on('end', () => this.fail(new ChannelClosed()))
  }

  /** Aborted when the channel breaks, whatever the cause; not by close(). */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  fail(reason: Error): void {
    if (this.#closing || this.#failed.signal.aborted) return
    this.#failed.abort(reason)
    this.#socket.destroy()
  }

  /** Resolves when the stream has room for more. The bytes are not copied: pages changed meanwhile must be sent again. */
  async sendPages(store: PagedStore, first: number, count: number): Promise<void> {
    await this.#send(KIND.pages, count, first, store.read(first, count))
  }

  async sendState(state: unknown): Promise<void> {
    const body = Buffer.from(JSON.stringify(state))
    await this.#send(KIND.state, 0, body.length, body)
  }

  async sendMissing(flags: Buffer): Promise<void> {
    await this.#send(KIND.missing, 0, flags.length, flags)
  }

  async sendDone(): Promise<void> {
    await this.#send(KIND.done, 0, 0)
  }

  async sendReceived(): Promise<void> {
    await this.#send(KIND.received, 0, 0)
  }

  async sendResumed(): Promise<void> {
    await this.#send(KIND.resumed, 0, 0)
  }

  async sendRequest(page: number): Promise<void> {
    await this.#send(KIND.request, 0, page)
  }

  close(): void {
    this.#closing = true
    this.#socket.end(() => this.#socket.destroy())
  }

  async #send(kind: number, count: number, value: number, body?: Buffer): Promise<void> {
    this.failed.throwIfAborted()
    const start = Buffer.alloc(HEAD_BYTES)
    start.writeUInt8(kind, 0)
    start.writeUInt16LE(count, 2)
    start.writeUInt32LE(value, 4)
    this.#socket.cork()
    let room = this.#socket.write(start)
    if (body) room = this.#socket.write(body)
    this.#socket.uncork()
    if (!room) await this.#drained()
  }

  #drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#socket.off('drain', done)
        this.failed.removeEventListener('abort', done)
        if (this.failed.aborted) reject(this.failed.reason)
        else resolve()
      }
      this.#socket.on('drain', done)
      this.failed.addEventListener('abort', done)
    })
  }

  #receive(chunk: Buffer): void {
    let at = 0
    try {
      while (at < chunk.length && !this.failed.aborted) {
        const frame = this.#frame
        const part = Math.min(frame.body.length - frame.filled, chunk.length - at)
        chunk.copy(frame.body, frame.filled, at, at + part)
        frame.filled += part
        at += part
        if (frame.filled === frame.body.length) this.#frame = this.#next(frame)
      }
    } catch (err) {
      this.fail(err instanceof Error ? err : new Error(String(err)))
    }
  }

  /** What to read after a full head or a full body. */
  #next(frame: Frame): Frame {
    if (frame.finish) {
      frame.finish(frame.body)
      return head()
    }
    const kind = frame.body.readUInt8(0)
    const count = frame.body.readUInt16LE(2)
    const value = frame.body.readUInt32LE(4)
    const body = this.#body(kind, count, value)
    if (body.body.length > 0) return body
    body.finish?.(body.body)
    return head()
  }

  #body(kind: number, count: number, value: number): Frame {
    const on = this.#handlers
    const { store } = on
    switch (kind) {
      case KIND.pages: {
        if (!store || count === 0 || value + count > store.pages) throw malformed()
        const body = store.write(value, count)
        if (body.length !== count * PAGE_BYTES) throw malformed()
        return { body, filled: 0, finish: () => on.onPages?.(value, count) }
      }
      case KIND.state:
        if (value > LONGEST_STATE) throw malformed()
        return sized(value, (body) => on.onState?.(JSON.parse(body.toString())))
      case KIND.missing:
        if (value !== store?.pages) throw malformed()
        return sized(value, (body) => on.onMissing?.(body))
      case KIND.done:
        return sized(0, () => on.onDone?.())
      case KIND.received:
        return sized(0, () => on.onReceived?.())
      case KIND.resumed:
        return sized(0, () => on.onResumed?.())
      case KIND.request:
        return sized(0, () => on.onRequest?.(value))
      default:
        throw malformed()
    }
  }
}

/** The other side went away, or was cut off, before it had said that it was done. */
class ChannelClosed extends Error {
  constructor() {
    super('the data channel was closed before the copy was complete')
    this.name = 'ChannelClosed'
  }
}

/** The most pages that one frame carries: never more than a block, so that its bytes are neighbours in memory. */
export const LONGEST_RUN = PAGES_PER_BLOCK

interface Frame {
  body: Buffer
  filled: number
  finish?: (body: Buffer) => void
}

function head(): Frame {
  return { body: Buffer.alloc(HEAD_BYTES), filled: 0 }
}

function sized(length: number, finish: (body: Buffer) => void): Frame {
  return { body: Buffer.alloc(length), filled: 0, finish }
}

function malformed(): Error {
  return new Error('the data channel carries something that is no copy of a guest')
}
