import { hash } from 'node:crypto'
import { BLOCK_BYTES, type BlockPool } from './block-pool.ts'

/** A page as QEMU tracks it. */
export const PAGE_BYTES = 4096
export const PAGES_PER_BLOCK = BLOCK_BYTES / PAGE_BYTES

/** Writes what a block holds before anybody has written to it. */
export type Content = (index: number, block: Buffer) => void

/**
 * The memory or the disk of a synthetic guest, with a record of the pages that changed since the record was last taken.
 * It takes memory only for blocks that somebody has looked at or written to. Pages are numbered from 0.
 */
export class PagedStore {
  readonly pages: number
  /** Number of blocks, allocated or not; the last one may be used in part. */
  readonly blocks: number
  readonly #pool: BlockPool
  readonly #content: Content | undefined
  readonly #allocated: (Buffer | undefined)[]
  readonly #digests: (Buffer | undefined)[]
  #dirty: PageSet | undefined

  /**
   * @param bytes rounded up to whole pages
   * @param content without it the store is empty: zero until written
   */
  constructor(bytes: number, pool: BlockPool, content?: Content) {
    this.pages = Math.ceil(bytes / PAGE_BYTES)
    this.blocks = Math.ceil(this.pages / PAGES_PER_BLOCK)
    this.#pool = pool
    this.#content = content
    this.#allocated = new Array(this.blocks).fill(undefined)
    this.#digests = new Array(this.blocks).fill(undefined)
  }

  get bytes(): number {
    return this.pages * PAGE_BYTES
  }

  /** Pages written since the record was taken; 0 when none is kept. */
  get dirtyPages(): number {
    return this.#dirty?.size ?? 0
  }

  /** Undefined for a block that is empty. */
  block(index: number): Buffer | undefined {
    if (!this.#allocated[index] && !this.#content) return undefined
    return this.#materialised(index).subarray(0, this.#lengthOf(index))
  }

  /** SHA-256 of a block; kept until somebody writes to the block. Undefined for one that is empty. */
  digest(index: number): Buffer | undefined {
    const block = this.block(index)
    if (!block) return undefined
    this.#digests[index] ??= hash('sha256', block, 'buffer')
    return this.#digests[index]
  }

  hasDigest(index: number): boolean {
    return this.#digests[index] !== undefined
  }

  /** The bytes of neighbouring pages of one block, to read. */
  read(first: number, count: number): Buffer {
    return this.#within(first, count)
  }

  /** The same to write into, before anybody else looks at the block; the pages count as changed from now on. */
  write(first: number, count = 1): Buffer {
    if (this.#dirty) for (let page = first; page < first + count; page++) this.#dirty.add(page)
    this.#digests[Math.floor(first / PAGES_PER_BLOCK)] = undefined
    return this.#within(first, count)
  }

  /** Starts a record in which everything that is not empty counts as changed. */
  startTracking(): void {
    this.#dirty = new PageSet(this.pages)
    for (let index = 0; index < this.blocks; index++) {
      if (!this.#allocated[index] && !this.#content) continue
      const first = index * PAGES_PER_BLOCK
      const last = first + this.#lengthOf(index) / PAGE_BYTES
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

  /** Gives the memory back; the store is empty afterwards. */
  clear(): void {
    for (const block of this.#allocated.splice(0)) if (block) this.#pool.give(block)
    this.#digests.length = 0
  }

  #within(first: number, count: number): Buffer {
    const index = Math.floor(first / PAGES_PER_BLOCK)
    const offset = (first % PAGES_PER_BLOCK) * PAGE_BYTES
    return this.#materialised(index).subarray(offset, offset + count * PAGE_BYTES)
  }

  #materialised(index: number): Buffer {
    const known = this.#allocated[index]
    if (known) return known
    const fresh = this.#pool.take()
    this.#content?.(index, fresh)
    this.#allocated[index] = fresh
    return fresh
  }

  #lengthOf(index: number): number {
    return Math.min(BLOCK_BYTES, this.bytes - index * BLOCK_BYTES)
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
