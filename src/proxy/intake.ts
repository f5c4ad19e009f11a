import type { Socket } from 'node:net'

/** The reading half of a pump: takes bytes from a socket and holds them, in order, until they were passed on. */
interface Intake {
  /**
   * Asked at the socket's 'end': whether that comes in the tick in which the end was read, while the socket was being
   * read from. Else nothing can be told from the state of the raw socket.
   */
  endIsFresh(): boolean
  /** The bytes whose turn it is, undefined when there are none. They stay untouched until they are released. */
  next(): Buffer | undefined
  /** What `next` gave was passed on. */
  release(bytes: Buffer): void
  /** From now on whatever comes is dropped, so that its sender isn't blocked. */
  discard(): void
}

/**
 * Starts reading; what was read before comes first. `onBytes` is called when there is more, but not before this
 * returns.
 */
export type OpenIntake = (from: Socket, onBytes: () => void) => Intake
