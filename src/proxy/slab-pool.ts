/** Large pieces of memory that streams share one after the other, so that each need not be allocated and collected. */
export interface SlabPool {
  take(): Buffer
  /** Only memory that nobody reads from or into any more. */
  give(slab: Buffer): void
}

/** Large enough that a system call costs little beside the copy, small enough for the processor's second cache. */
export const SLAB_SIZE = 256 * 1024

export function createSlabPool(keepAtMost = 32): SlabPool {
  const free: Buffer[] = []
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(SLAB_SIZE),
    give(slab) {
      if (free.length < keepAtMost) free.push(slab)
    },
  }
}
