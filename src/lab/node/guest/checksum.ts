import { createHash, hash } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { BLOCK_BYTES } from './block-pool.ts'
import { PAGE_BYTES, PAGES_PER_BLOCK, type PagedStore } from './paged-store.ts'

/**
 * SHA-256 over the SHA-256 of each block, in hexadecimal: block by block, so that the thread stays free between two.
 * @param older pages to take instead of what the store holds now, as they were before somebody wrote them again;
 * looked up as each block's turn comes, so that writes may go on meanwhile
 */
export async function checksumOf(
  store: PagedStore,
  older: ReadonlyMap<number, Buffer> = new Map(),
): Promise<string> {
  const whole = createHash('sha256')
  for (let index = 0; index < store.blocks; index++) {
    const isKnown = store.hasDigest(index)
    whole.update(digestOf(store, index, older))
    if (!isKnown) await breathe()
  }
  return whole.digest('hex')
}

/**
 * Called as pages have been sent or received: where they reach the end of a block, its digest is worked out now, so
 * that little is left to do while the guest stands still. A block that is written to later is done again.
 */
export function hashAhead(store: PagedStore, first: number, count: number): void {
  const end = first + count
  if (end % PAGES_PER_BLOCK === 0 || end === store.pages) {
    store.digest(Math.floor(first / PAGES_PER_BLOCK))
  }
}

function digestOf(store: PagedStore, index: number, older: ReadonlyMap<number, Buffer>): Buffer {
  const block = store.block(index)
  if (!block)
    return hash(
      'sha256',
      Buffer.alloc(Math.min(BLOCK_BYTES, store.bytes - index * BLOCK_BYTES)),
      'buffer',
    )
  const copy = older.size > 0 ? overlay(block, older, index) : undefined
  return copy ? hash('sha256', copy, 'buffer') : (store.digest(index) ?? block)
}

/** The block as it was; undefined when nothing of it is different. */
function overlay(
  block: Buffer,
  older: ReadonlyMap<number, Buffer>,
  index: number,
): Buffer | undefined {
  let copy: Buffer | undefined
  for (let page = 0; page < block.length / PAGE_BYTES; page++) {
    const before = older.get(index * PAGES_PER_BLOCK + page)
    if (!before) continue
    copy ??= Buffer.from(block)
    copy.set(before, page * PAGE_BYTES)
  }
  return copy
}
