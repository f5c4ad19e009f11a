import { createHash, hash } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { BLOCK_BYTES, PAGE_BYTES, PAGES_PER_BLOCK, type PagedStore } from './paged-store.ts'

const ZERO_BLOCK = hash('sha256', Buffer.alloc(BLOCK_BYTES), 'buffer')

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
    const block = store.block(index)
    if (!block && store.bytes >= (index + 1) * BLOCK_BYTES) {
      whole.update(ZERO_BLOCK)
      continue
    }
    const bytes = block ?? Buffer.alloc(store.bytes - index * BLOCK_BYTES)
    whole.update(hash('sha256', older.size > 0 ? overlay(bytes, older, index) : bytes, 'buffer'))
    await breathe()
  }
  return whole.digest('hex')
}

function overlay(block: Buffer, older: ReadonlyMap<number, Buffer>, index: number): Buffer {
  const copy = Buffer.from(block)
  for (let page = 0; page < block.length / PAGE_BYTES; page++) {
    const before = older.get(index * PAGES_PER_BLOCK + page)
    if (before) copy.set(before, page * PAGE_BYTES)
  }
  return copy
}
