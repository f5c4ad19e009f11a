import type { Leg } from './leg.ts'

/** The reading half of a pump: takes bytes from a socket and holds them, in order, until they were passed on. */
export interface Intake {
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

/** The writing half of a pump, to its intake. Neither is called before the intake is there. */
export interface Outlet {
  /** There is more to be passed on. */
  advance(): void
  /** Passes on at once as many bytes as the receiver has room for, all when it is gone, and says how many. Not on TLS. */
  tryWrite?(bytes: Buffer): number
}

/** Starts reading; what was read before comes first. */
export type OpenIntake = (from: Leg, outlet: Outlet) => Intake
