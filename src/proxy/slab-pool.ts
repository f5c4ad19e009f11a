/** Large pieces of memory that streams share one after the other, so that each need not be allocated and collected. */
export interface SlabPool {
  /** How large a slab is now, bytes. */
  slabSize(): number
  take(): Buffer
  /** Only memory that nobody reads from or into any more. */
  give(slab: Buffer): void
}

/** Large enough that a system call costs little beside the copy, small enough for the processor's second cache. */
export const LARGEST_SLAB = 256 * 1024
const SMALLEST_SLAB = 64 * 1024

/** Bytes for a slab of each stream; one that its receiver holds up has up to three. */
const SHARED = 1792 * 1024

/** Few sizes, so that what is given back is mostly of use. */
const STEP = 32 * 1024

/**
 * Many streams at once get by with smaller slabs, so that their process stays small.
 * @param streams how many are open now; one with TLS counts twice, for that keeps as much again. Without it all slabs
 *   are large
 */
export function createSlabPool(streams: () => number = () => 1, keepAtMost = 32): SlabPool {
  const free: Buffer[] = []
  const slabSize = () => {
    const share = SHARED / Math.max(streams(), 1)
    return Math.min(Math.max(share - (share % STEP), SMALLEST_SLAB), LARGEST_SLAB)
  }
  return {
    slabSize,
    take() {
      const size = slabSize()
      for (let slab = free.pop(); slab; slab = free.pop()) if (slab.length === size) return slab
      return Buffer.allocUnsafeSlow(size)
    },
    give(slab) {
      if (free.length < keepAtMost) free.push(slab)
    },
  }
}
