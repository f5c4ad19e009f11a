import type { Socket } from 'node:net'
import { surviveWriteErrors } from '../../src/proxy/leg.ts'
import { bytesOf } from './bytes.ts'
import type { End, Plan } from './plan.ts'

/** How an end of a stream saw it. */
export interface Seen {
  /** Bytes that came and were right. */
  received: number
  /** The first byte that was wrong or too many. */
  wrong?: number
  /** The end of the stream came, not a break. */
  ended: boolean
  closed: boolean
}

/** The first bytes of every stream: which it is. */
export const HEADER_BYTES = 8
const MAGIC = 0x6d696721

export function headerOf(id: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32BE(MAGIC, 0)
  header.writeUInt32BE(id, 4)
  return header
}

/** @returns the stream's number, or -1 when these are not the first bytes of a stream */
export function idOf(header: Buffer): number {
  return header.readUInt32BE(0) === MAGIC ? header.readUInt32BE(4) : -1
}

/** Plays one end of a stream to its end; resolves when its socket is closed. */
export function play(
  socket: Socket,
  end: End,
  plan: Plan,
  seed: number,
  early: Buffer,
): Promise<Seen> {
  const other: End = end === 'client' ? 'backend' : 'client'
  const expected = bytesOf(`${seed} ${plan.id} ${other}`)
  const seen: Seen = { received: 0, ended: false, closed: false }
  surviveWriteErrors(socket)

  const check = (bytes: Buffer) => {
    const room = plan.sizes[other] - seen.received
    const right = expected(Math.min(bytes.length, room))
    if (bytes.length > room || !bytes.equals(right)) seen.wrong ??= seen.received
    seen.received += bytes.length
  }
  const stallAt = plan.fault === `stall ${end}` ? plan.at * plan.sizes[other] : Infinity
  let stalled = false
  const take = (bytes: Buffer) => {
    check(bytes)
    if (stalled || seen.received < stallAt) return
    stalled = true
    socket.pause()
    setTimeout(() => socket.resume(), plan.stallMs)
  }

  const hasEnded = new Promise<void>((resolve) => {
    socket.once('end', () => {
      seen.ended = true
      resolve()
    })
  })
  return new Promise((resolve) => {
    socket.once('close', () => {
      seen.closed = true
      resolve(seen)
    })
    if (early.length > 0) take(early)
    // Who leaves doesn't read at all, so that it goes with its receive buffer full.
    if (plan.fault !== `leave ${end}`) socket.on('data', take)
    const waits =
      (plan.fault === 'ask' && end === 'backend') || (plan.fault === 'listen' && end === 'client')
    void (waits ? hasEnded : Promise.resolve())
      .then(() => send(socket, end, plan, seed))
      .then(async (allSent) => {
        if (plan.fault === `leave ${end}` || plan.fault === `cut ${end}`) return socket.destroy()
        if (allSent) await new Promise<void>((done) => socket.end(done))
        await hasEnded
        socket.destroy()
      })
  })
}

async function send(socket: Socket, end: End, plan: Plan, seed: number): Promise<boolean> {
  const next = bytesOf(`${seed} ${plan.id} ${end}`)
  const size = plan.sizes[end]
  const stop = plan.fault === `cut ${end}` ? Math.floor(plan.at * size) : size
  for (let sent = 0; sent < stop && !socket.destroyed; ) {
    const count = Math.min(plan.pieces[end], stop - sent)
    const failed = await new Promise((resolve) => socket.write(next(count), resolve))
    if (failed) return false
    sent += count
  }
  return !socket.destroyed
}

/**
 * What is wrong with a stream, judged by its plan; undefined when nothing is.
 * @param touched a proxy was killed while it ran: it may break off, but not err
 */
export function verdict(
  plan: Plan,
  seen: Partial<Record<End, Seen>>,
  touched: boolean,
): string | undefined {
  for (const end of ['client', 'backend'] as const) {
    const other: End = end === 'client' ? 'backend' : 'client'
    const { received = 0, wrong, ended = false } = seen[end] ?? {}
    if (wrong !== undefined) return `${end}: wrong bytes from ${wrong} on`
    const mayBreak = touched || plan.fault.startsWith('cut') || plan.fault === `leave ${end}`
    // Who is left alone is still owed everything; only that it ends in order is more than was promised.
    const leftAlone = plan.fault === `leave ${other}`
    if (mayBreak) continue
    if (received !== plan.sizes[other]) {
      return `${end}: ${received} of ${plan.sizes[other]} bytes came`
    }
    if (!ended && !leftAlone) return `${end}: the end of the stream didn't come`
  }
  return undefined
}
