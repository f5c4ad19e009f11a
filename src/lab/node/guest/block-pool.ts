/** The unit of allocation and of hashing: small enough that one step never holds up the thread. */
export const BLOCK_BYTES = 2 ** 20

/** What is kept for the next guest; beyond that memory goes back to the system. */
const KEPT_BLOCKS = 1024

/**
 * Memory that a guest has left, for the next one: to get a fresh block from the system costs more than to clear a used
 * one, on some virtual machines a hundred times.
 */
export class BlockPool {
  readonly #free: Buffer[] = []

  /** A block of zeros. */
  take(): Buffer {
    return this.#free.pop()?.fill(0) ?? Buffer.alloc(BLOCK_BYTES)
  }

  /** The giver must not touch the block again, nor leave it in a write under way. */
  give(block: Buffer): void {
    if (this.#free.length < KEPT_BLOCKS) this.#free.push(block)
  }
}
