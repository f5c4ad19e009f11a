import type { PumpEnd } from './pump.ts'
import type { Direction } from './relay.ts'

export type Failure = Exclude<PumpEnd, { how: 'end' }>

/** Hears how both directions of a connection end, and tells the failures that say why. */
export interface Failures {
  ended(direction: Direction, end: PumpEnd): void
  /** The connection is cut: what would have waited for the other direction is told. */
  flush(): void
}

/**
 * When the other proxy is gone both directions fail. Then reading mostly says better why (an alert of TLS), so that a
 * write to it waits for that. But a kernel tells of a reset only once, to who asks first: where that was the write,
 * who reads sees a bare end.
 * @param writing the direction that leads to the other proxy
 */
export function createFailures(
  writing: Direction,
  tell: (direction: Direction, end: Failure) => void,
): Failures {
  let waiting: Failure | undefined
  let read: PumpEnd | undefined
  return {
    ended(direction, end) {
      if (direction === writing) {
        if (end.how === 'write-failed' && !read) waiting = end
        else if (end.how !== 'end' && !(read && explains(read, end))) tell(direction, end)
        return
      }
      read = end
      const better = waiting && !explains(end, waiting) ? waiting : undefined
      waiting = undefined
      if (better) tell(writing, better)
      if (end.how === 'end' || (better && end.how === 'read-failed')) return
      tell(direction, end)
    },
    flush() {
      if (waiting) tell(writing, waiting)
      waiting = undefined
    },
  }
}

/** Whether how reading ended says why writing failed. */
function explains(read: PumpEnd, write: Failure): boolean {
  if (read.how !== 'read-failed' || write.how !== 'write-failed') return false
  return codeOf(read) !== undefined || codeOf(write) !== 'ECONNRESET'
}

function codeOf({ error }: Failure): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
