import type { Intake, Outlet } from './intake.ts'
import type { Leg } from './leg.ts'
import type { SlabPool } from './slab-pool.ts'
import { streamIntake } from './stream-intake.ts'
import { readIntoUserBuffer } from './user-buffer.ts'

/**
 * Reads all streams into one and the same piece of memory, which so stays in the processor's cache, and passes on at
 * once what the receiver takes. Only a rest is copied; reading waits until it is gone. Falls back to
 * {@link streamIntake} on a node whose internals differ.
 */
export function directIntake(pool: SlabPool): (from: Leg, outlet: Required<Outlet>) => Intake {
  const shared = pool.take()
  return (leg, outlet) => {
    const from = leg.socket
    const held: Buffer[] = []
    let rest: Buffer | undefined
    let discarding = false

    const read = (count: number) => {
      if (discarding) return true
      const bytes = shared.subarray(0, count)
      const taken = held.length > 0 ? 0 : outlet.tryWrite(bytes)
      if (taken === count) return true
      rest = pool.take()
      bytes.copy(rest, 0, taken)
      held.push(rest.subarray(0, count - taken))
      outlet.advance()
      return false
    }

    if (!readIntoUserBuffer(from, { buffer: () => shared, read })) return streamIntake(leg, outlet)
    for (let early = from.read(); early; early = from.read()) held.push(early)
    if (held.length > 0) setImmediate(outlet.advance)

    return {
      endIsFresh: () => false,
      next: () => held[0],
      release() {
        held.shift()
        if (held.length > 0) return
        if (rest) pool.give(rest)
        rest = undefined
        if (!from.destroyed) from.resume()
      },
      discard() {
        discarding = true
        from.resume()
      },
    }
  }
}
