import type { OpenIntake } from './intake.ts'
import type { SlabPool } from './slab-pool.ts'
import { streamIntake } from './stream-intake.ts'
import { endWasRead, readIntoUserBuffer } from './user-buffer.ts'

/** Streams that stay below this never take a large slab. */
const FIRST_SLAB = 16 * 1024

/** A slab with less room than this is full: a read is to be worth its system call. */
const LEAST_ROOM = 12 * 1024

/** A read of so much is passed on at once, while it is still in the processor's cache. */
const LARGE_READ = 32 * 1024

interface Slab {
  memory: Buffer
  /** What lies between waits to be passed on. */
  start: number
  end: number
  pooled: boolean
}

/**
 * Reads into slabs: pieces of memory that are filled from one end to the other, while what they hold is written from
 * behind, a whole stretch at a time. Reading stops while as much as a slab waits. Falls back to {@link streamIntake} on a node whose internals differ.
 */
export function slabIntake(pool: SlabPool): OpenIntake {
  return (leg, outlet) => {
    const from = leg.socket
    let filling = slab(Buffer.allocUnsafeSlow(FIRST_SLAB))
    const slabs = [filling]
    let held = 0
    let paused = false
    let lastReadStopped = false
    let scheduled = false
    let discarding = false

    /** On TLS, reads come in pieces of 16 KiB: one write for all that this turn of the event loop brings. */
    const announce = (count: number) => {
      if (count >= LARGE_READ || held >= pool.slabSize()) return outlet.advance()
      if (scheduled) return
      scheduled = true
      setImmediate(() => {
        scheduled = false
        outlet.advance()
      })
    }

    const buffer = () => {
      if (filling.memory.length - filling.end < LEAST_ROOM) {
        filling = slab(pool.take(), true)
        slabs.push(filling)
        dropIfDone()
      }
      return filling.memory.subarray(filling.end)
    }

    const read = (count: number) => {
      if (discarding) return true
      filling.end += count
      held += count
      announce(count)
      paused = held >= pool.slabSize()
      lastReadStopped = paused
      return !paused
    }

    /** The slab being filled stays, even when it is empty: node holds its address for the next read. */
    const dropIfDone = () => {
      const oldest = slabs[0]!
      if (oldest === filling || oldest.start < oldest.end) return
      slabs.shift()
      if (oldest.pooled) pool.give(oldest.memory)
    }

    const endedBefore = endWasRead(from)
    if (!readIntoUserBuffer(from, { buffer, read })) return streamIntake(leg, outlet)
    for (let early = from.read(); early; early = from.read()) {
      slabs.splice(-1, 0, { ...slab(early), end: early.length })
      held += early.length
    }
    if (held > 0) setImmediate(outlet.advance)

    return {
      endIsFresh: () => !endedBefore && !lastReadStopped,
      next() {
        const { memory, start, end } = slabs[0]!
        return start < end ? memory.subarray(start, end) : undefined
      },
      release(bytes) {
        slabs[0]!.start += bytes.length
        held -= bytes.length
        dropIfDone()
        if (paused && held < pool.slabSize()) {
          paused = false
          from.resume()
        }
      },
      discard() {
        discarding = true
        from.resume()
      },
    }
  }
}

function slab(memory: Buffer, pooled = false): Slab {
  return { memory, start: 0, end: 0, pooled }
}
