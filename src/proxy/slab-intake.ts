import { HIGH_WATER, type OpenIntake } from './intake.ts'
import { SLAB_SIZE, type SlabPool } from './slab-pool.ts'
import { streamIntake } from './stream-intake.ts'
import { endWasRead, readIntoUserBuffer } from './user-buffer.ts'

/** Streams that stay below this never take a large slab. */
const FIRST_SLAB = 16 * 1024

interface Slab {
  memory: Buffer
  /** What lies between waits to be passed on. */
  start: number
  end: number
  pooled: boolean
}

/**
 * Reads into slabs: pieces of memory that are filled from one end to the other, while what they hold is written from
 * behind, a whole stretch at a time. Falls back to {@link streamIntake} on a node whose internals differ.
 */
export function slabIntake(pool: SlabPool): OpenIntake {
  return (from, onBytes) => {
    let filling = slab(Buffer.allocUnsafeSlow(FIRST_SLAB))
    const slabs = [filling]
    let held = 0
    let paused = false
    let lastReadStopped = false
    let scheduled = false
    let discarding = false

    /** On TLS, reads come in pieces of 16 KiB: one write for all that this turn of the event loop brings. */
    const announce = () => {
      if (held >= SLAB_SIZE) return onBytes()
      if (scheduled) return
      scheduled = true
      setImmediate(() => {
        scheduled = false
        onBytes()
      })
    }

    const buffer = () => {
      const room = filling.memory.length - filling.end
      if (room < filling.memory.length / 4) {
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
      announce()
      paused = held >= HIGH_WATER
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
    if (!readIntoUserBuffer(from, { buffer, read })) return streamIntake(from, onBytes)
    for (let early = from.read(); early; early = from.read()) {
      slabs.splice(-1, 0, { ...slab(early), end: early.length })
      held += early.length
    }
    if (held > 0) setImmediate(onBytes)

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
        if (paused && held < HIGH_WATER) {
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
