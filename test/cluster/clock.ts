import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../src/clock.ts'

/** A clock that never waits and remembers how long it should have. */
export function impatientClock(): Clock & { slept: number[] } {
  const slept: number[] = []
  return {
    slept,
    now: () => Date.now(),
    sleep: async (ms, signal) => {
      slept.push(ms)
      await turn()
      signal?.throwIfAborted()
    },
  }
}
