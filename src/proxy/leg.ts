import type { Socket } from 'node:net'
import type { TlsExplanation } from '../tls/mismatch.ts'

/** One end of a connection through the proxy. */
export interface Leg {
  socket: Socket
  kind: 'unix' | 'tcp' | 'tls'
  /** What carries the TLS. */
  raw?: Socket
  /** Words a failure of the TLS, by its code, with both certificates. */
  explain?(error: string): TlsExplanation
}

/**
 * Ends a leg so that its peer doesn't take what it got for all there was: a reset on plain TCP; no closing alert on
 * TLS, which takes nothing back of what was sent. A unix socket has no such thing, its peer sees the end of the stream.
 */
export function abort(leg: Leg): void {
  if (leg.kind === 'tcp') reset(leg)
  else leg.socket.destroy()
}

/**
 * Tells the peer at once that nobody is here any more; what it hasn't received yet may be lost. One that is just being
 * told the end is only closed: libuv refuses to reset it, and node then leaves it open for ever.
 */
export function reset({ socket, kind, raw = socket }: Leg): void {
  const ending = socket.writableEnded && !socket.writableFinished
  if (kind !== 'unix' && !ending && !raw.destroyed && !raw.connecting) raw.resetAndDestroy()
  socket.destroy()
}

/**
 * Tells the peer that nothing more comes. Node forgets TLS's closing alert when a write of its own, as a session
 * ticket's, is still under way; a turn of the event loop later that is over.
 */
export function endLeg({ socket, kind }: Leg, done: () => void): void {
  if (kind === 'tls') setImmediate(() => socket.end(done))
  else socket.end(done)
}

/**
 * Ends a leg in order, for one that can't be served: its peer learns that nothing more comes. What it still sends is
 * dropped, so that no reset overtakes the end.
 */
export async function sayGoodbye(leg: Leg, lingerMs: number): Promise<void> {
  const { socket } = leg
  if (socket.destroyed) return
  socket.resume()
  endLeg(leg, () => {})
  await closed(socket, lingerMs)
  socket.destroy()
}

/** Waits until the peer has ended its side too. */
export function closed(socket: Socket, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || socket.readableEnded) return resolve()
    const done = () => {
      clearTimeout(timer)
      socket.off('close', done).off('end', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    socket.once('close', done).once('end', done)
  })
}

/**
 * Keeps node from closing a socket when a write fails: what its peer sent before is still to be read, and it may be
 * all that mattered (a QEMU that sends its last page and goes).
 */
export function surviveWriteErrors(socket: Socket): void {
  const { _readableState: readable, _writableState: writable } = socket as unknown as {
    _readableState: StreamState
    _writableState: StreamState
  }
  readable.autoDestroy = false
  writable.autoDestroy = false
  socket.on('error', () => {
    if (socket.destroyed) return
    // Else what is still read, and its end, would not be told.
    readable.errored = null
    readable.errorEmitted = false
  })
}

interface StreamState {
  autoDestroy: boolean
  errored: Error | null
  errorEmitted: boolean
}

/**
 * Whether the end of a TLS stream that was just read came by its closing alert, as it must, or because the connection
 * broke off. Node doesn't tell. But at the alert it still reads the raw socket, and starting to read again says
 * so (EALREADY); at the end of the raw stream it has stopped.
 * Only right where {@link Intake.endIsFresh}.
 */
export function brokeOff({ raw }: Leg): boolean {
  const handle = (raw as { _handle?: Handle } | undefined)?._handle
  return handle?.readStart?.() === 0
}

/**
 * Calls back when the peer resets a connection whose reading side has ended: nothing reads there any more, so node
 * doesn't notice, and as long as nobody writes the connection would stay half-open for ever.
 * @returns stops watching
 */
export function watchForReset({ socket, raw }: Leg, onReset: () => void): () => void {
  const timer = setInterval(() => {
    const handle = ((raw ?? socket) as { _handle?: Handle })._handle
    if (!handle?.getpeername?.({})) return
    clearInterval(timer)
    onReset()
  }, RESET_CHECK_MS).unref()
  return () => clearInterval(timer)
}

const RESET_CHECK_MS = 250

interface Handle {
  readStart?(): number
  /** 0, or an error when there is no peer any more. */
  getpeername?(out: object): number
}
