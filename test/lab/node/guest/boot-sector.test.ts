import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { GuestSpec } from '../../../../src/lab/node/guest/guest.ts'
import {
  ASSEMBLED,
  BOOT_ADDRESS,
  bootSector,
  checkMemory,
  rateOrder,
} from '../../../../src/lab/node/guest/qemu/boot-sector.ts'

const SOURCE = '../../../../src/lab/node/guest/qemu/boot-sector.asm'
const hasNasm = spawnSync('nasm', ['-v']).status === 0
const spec: GuestSpec = { memoryBytes: 2 ** 21, diskBytes: 2 ** 20, dirtyRate: 40960, seed: 512 }
const PAGE = 4096
const FIRST = 2 ** 20

test.skipIf(!hasNasm)(
  `the bytes are what nasm makes of the source${hasNasm ? '' : ' (nasm is not installed: test/e2e/install-real-parts.sh)'}`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mig-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'sector')
    const source = fileURLToPath(new URL(SOURCE, import.meta.url))
    expect(spawnSync('nasm', ['-f', 'bin', '-o', file, source]).status).toBe(0)
    expect((await readFile(file)).toString('base64')).toBe(ASSEMBLED)
  },
)

test('a sector ends as one to boot from does, and knows its guest', () => {
  const sector = bootSector(spec)
  expect(sector).toHaveLength(512)
  expect(sector.readUInt16BE(510)).toBe(0x55aa)
  const other = bootSector({ ...spec, memoryBytes: 2 ** 22 })
  expect(other.equals(sector)).toBe(false)
})

test('a rate is typed in pages a second', () => {
  expect(rateOrder(4 * 2 ** 20)).toBe('1024\n')
})

/** Memory of a guest that has written `pages` pages, from its start. */
function memoryAfter(pages: number): Buffer {
  const memory = Buffer.alloc(spec.memoryBytes)
  bootSector(spec).copy(memory, BOOT_ADDRESS)
  const begun = memory.readUInt32LE(BOOT_ADDRESS + 0x1e4)
  let address = FIRST
  for (let number = begun + 1; number <= begun + pages; number++) {
    memory.writeUInt32LE(number, address)
    memory.writeUInt32LE(address, address + 4)
    address = address + PAGE === spec.memoryBytes ? FIRST : address + PAGE
  }
  memory.writeUInt32LE(begun + pages, BOOT_ADDRESS + 0x1e4)
  memory.writeUInt32LE(address, BOOT_ADDRESS + 0x1ec)
  return memory
}

test.each([256, 300, 511, 512])('memory after %i pages is whole', (pages) => {
  expect(checkMemory(memoryAfter(pages))).toEqual({ lines: 0, pages: 2 + pages, writes: 0 })
})

test.each<[string, (memory: Buffer) => void]>([
  ['is empty', (memory) => memory.fill(0, FIRST + PAGE, FIRST + 2 * PAGE)],
  [
    'is the one beside it',
    (memory) => memory.copy(memory, FIRST + PAGE, FIRST + 2 * PAGE, FIRST + 3 * PAGE),
  ],
  [
    'is an older one',
    (memory) => memory.writeUInt32LE(memory.readUInt32LE(FIRST + PAGE) - 256, FIRST + PAGE),
  ],
])('a page that %s is noticed', (_, spoil) => {
  const memory = memoryAfter(300)
  spoil(memory)
  expect(() => checkMemory(memory)).toThrow(/^the page at 101000 holds \d+ instead of 260: /)
})
