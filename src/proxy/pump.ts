import type { OpenIntake } from './intake.ts'
import { brokeOff, endLeg, type Leg } from './leg.ts'
import { canTryWrite, tryWrite } from './try-write.ts'

/** How one direction of a connection ended. */
export type PumpEnd =
  /** The sender said it was done, everything was delivered, the receiver was told so. */
  | { how: 'end' }
  /** The sender broke off. What it sent before was delivered, unless the receiver stalled. */
  | { how: 'read-failed'; error: Error }
  /** The receiver takes no more; what the sender still sends is dropped. */
  | { how: 'write-failed'; error: Error }

export interface PumpOptions {
  openIntake: OpenIntake
  /** ms; how long a stalled receiver may hold up what a sender left that broke off. */
  lingerMs: number
  /** The first bytes of the stream, before they are passed on. */
  onFirst?(bytes: Buffer): void
  /** So many more were delivered. */
  onBytes(count: number): void
}

/** Moves bytes one way until the end of the stream, and passes that end on. One write is under way at a time. */
export function pump(from: Leg, to: Leg, options: PumpOptions): Promise<PumpEnd> {
  return new Promise((resolve) => {
    let first = true
    let writing = false
    let over: PumpEnd | undefined
    let settled = false
    let linger: NodeJS.Timeout | undefined

    const settle = (end: PumpEnd) => {
      if (settled) return
      settled = true
      clearTimeout(linger)
      if (end.how === 'write-failed') intake.discard()
      resolve(end)
    }

    const see = (bytes: Buffer) => {
      if (first) options.onFirst?.(bytes)
      first = false
    }
    const tryToWrite = (bytes: Buffer) => {
      if (writing) return 0
      see(bytes)
      try {
        const count = tryWrite(to.socket, bytes)
        options.onBytes(count)
        return count
      } catch (err) {
        writeFailed(err as Error)
        return bytes.length
      }
    }

    const advance = () => {
      if (writing || settled) return
      const bytes = intake.next()
      if (!bytes) return over && finish(over)
      see(bytes)
      writing = true
      to.socket.write(bytes, (err) => {
        writing = false
        if (err || to.socket.destroyed) return writeFailed(err)
        intake.release(bytes)
        options.onBytes(bytes.length)
        linger?.refresh()
        advance()
      })
    }

    const finish = (end: PumpEnd) => {
      if (end.how !== 'end') return settle(end)
      writing = true
      endLeg(to, () => settle(to.socket.errored ? failedWrite(to.socket.errored) : end))
    }

    const readOver = (end: PumpEnd) => {
      over ??= end
      if (end.how !== 'end') linger ??= setTimeout(() => settle(end), options.lingerMs)
      advance()
    }
    const writeFailed = (error: Error | null | undefined) =>
      settle(failedWrite(error ?? to.socket.errored))

    const intake = options.openIntake(from, {
      advance,
      ...(to.kind !== 'tls' && canTryWrite(to.socket) && { tryWrite: tryToWrite }),
    })
    const endedBefore = from.socket.readableEnded
    from.socket
      .on('end', () => {
        const cut = from.kind === 'tls' && intake.endIsFresh() && brokeOff(from)
        readOver(cut ? failedRead(new Error('unexpected EOF')) : { how: 'end' })
      })
      .on('close', () => {
        if (from.socket.readableEnded) return
        // All that the other end of a unix socket wrote was read before its reset: that it left without reading
        // what we wrote to it is the other direction's trouble.
        const complete = from.kind === 'unix' && codeOf(from.socket.errored) === 'ECONNRESET'
        readOver(complete ? { how: 'end' } : failedRead(from.socket.errored))
      })
      .on('error', (error: Error) => {
        // An alert, or a record that is none: node tells it once, what comes after looks like an end in order.
        if (from.kind === 'tls' && codeOf(error)?.startsWith('ERR_SSL_'))
          readOver(failedRead(error))
      })
    to.socket.on('close', () => {
      if (!to.socket.writableFinished) writeFailed(undefined)
    })

    if (endedBefore) readOver({ how: 'end' })
    else if (from.socket.destroyed) readOver(failedRead(from.socket.errored))
    else from.socket.resume()
  })
}

const failedRead = (error: Error | null): PumpEnd => ({
  how: 'read-failed',
  error: error ?? new Error('connection closed'),
})

const failedWrite = (error: Error | null | undefined): PumpEnd => ({
  how: 'write-failed',
  error: error ?? new Error('connection closed'),
})

function codeOf(error: Error | null): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code
}
