/** A page as QEMU tracks it. */
export const PAGE_BYTES = 4096
/** The unit of allocation and of hashing: small enough that one step never holds up the thread. */
export const BLOCK_BYTES = 2 ** 20
export const PAGES_PER_BLOCK = BLOCK_BYTES / PAGE_BYTES

/**
 * The memory or the disk of a synthetic guest: sparse, zero until written, and with a record of the pages that
 * changed since the record was last taken. Pages are numbered from 0.
 */
export class PagedStore {
  readonly pages: number
  readonly #blocks: (Buffer | undefined)[]
  #dirty: PageSet | undefined

  /** @param bytes rounded up to whole pages */
  constructor(bytes: number) {
    this.pages = Math.ceil(bytes / PAGE_BYTES)
    this.#blocks = new Array(Math.ceil(this.pages / PAGES_PER_BLOCK)).fill(undefined)
  }

  get bytes(): number {
    return this.pages * PAGE_BYTES
  }

  /** Number of blocks, allocated or not. */
  get blocks(): number {
    return this.#blocks.length
  }

  get allocatedBytes(): number {
    return this.#blocks.reduce((sum, block) => sum + (block?.length ?? 0), 0)
  }

  /** Pages written since the record was taken; 0 when none is kept. */
  get dirtyPages(): number {
    return this.#dirty?.size ?? 0
  }

  /** Undefined for a block that was never written. */
  block(index: number): Buffer | undefined {
    return this.#blocks[index]
  }

  /** The bytes of neighbouring pages of one block, to read. */
  read(first: number, count: number): Buffer {
    return this.#within(first, count)
  }

  /** The same to write into; the pages count as changed from now on. */
  write(first: number, count = 1): Buffer {
    if (this.#dirty) for (let page = first; page < first + count; page++) this.#dirty.add(page)
    return this.#within(first, count)
  }

  /** Starts a record in which everything that was ever written counts as changed. */
  startTracking(): void {
    this.#dirty = new PageSet(this.pages)
    for (const [index, block] of this.#blocks.entries()) {
      if (!block) continue
      const first = index * PAGES_PER_BLOCK
      const last = first + block.length / PAGE_BYTES
      for (let page = first; page < last; page++) this.#dirty.add(page)
    }
  }

  stopTracking(): void {
    this.#dirty = undefined
  }

  /** The changed pages so far; the record goes on with none. */
  takeDirty(): PageSet {
    const taken = this.#dirty ?? new PageSet(this.pages)
    if (this.#dirty) this.#dirty = new PageSet(this.pages)
    return taken
  }

  #within(first: number, count: number): Buffer {
    const index = Math.floor(first / PAGES_PER_BLOCK)
    const offset = (first % PAGES_PER_BLOCK) * PAGE_BYTES
    this.#blocks[index] ??= Buffer.alloc(Math.min(BLOCK_BYTES, this.bytes - index * BLOCK_BYTES))
    return this.#blocks[index].subarray(offset, offset + count * PAGE_BYTES)
  }
}

/** A set of page numbers, with fast search for runs of neighbours. */
export class PageSet {
  readonly #flags: Buffer
  #size = 0

  /** @param flags one byte a page, 0 or 1: taken over, not copied */
  constructor(pages: number, flags: Buffer = Buffer.alloc(pages)) {
    this.#flags = flags
    for (let at = flags.indexOf(1); at >= 0; at = flags.indexOf(1, at + 1)) this.#size++
  }

  get size(): number {
    return this.#size
  }

  /** One byte a page. */
  get flags(): Buffer {
    return this.#flags
  }

  has(page: number): boolean {
    return this.#flags[page] === 1
  }

  add(page: number): void {
    if (this.#flags[page] === 1) return
    this.#flags[page] = 1
    this.#size++
  }

  delete(page: number): void {
    if (this.#flags[page] !== 1) return
    this.#flags[page] = 0
    this.#size--
  }

  /** The first run of neighbours at or after `from` that lies in one block; undefined when there is none. */
  nextRun(from: number): { first: number; count: number } | undefined {
    const first = this.#flags.indexOf(1, from)
    if (first < 0) return undefined
    const blockEnd = (Math.floor(first / PAGES_PER_BLOCK) + 1) * PAGES_PER_BLOCK
    const end = Math.min(blockEnd, this.#flags.length)
    const gap = this.#flags.subarray(first, end).indexOf(0)
    return { first, count: gap < 0 ? end - first : gap }
  }
}
