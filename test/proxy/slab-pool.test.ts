import { expect, test } from 'vitest'
import { createSlabPool } from '../../src/proxy/slab-pool.ts'

const KIB = 1024

test.each([
  [0, 256],
  [1, 256],
  [7, 256],
  [8, 224],
  [9, 192],
  [16, 96],
  [32, 64],
  [1000, 64],
])('with %i streams a slab has %i KiB', (streams, kib) => {
  expect(createSlabPool(() => streams).take()).toHaveLength(kib * KIB)
})

test('what is given back is used again, as long as it has the size of now', () => {
  let streams = 1
  const pool = createSlabPool(() => streams)
  const slab = pool.take()
  pool.give(slab)
  expect(pool.take()).toBe(slab)
  pool.give(slab)
  streams = 16
  expect(pool.take()).toHaveLength(96 * KIB)
})

test('it keeps no more than it was told to', () => {
  const pool = createSlabPool(undefined, 1)
  const [first, second] = [pool.take(), pool.take()]
  pool.give(first)
  pool.give(second)
  expect(pool.take()).toBe(first)
  expect(pool.take()).not.toBe(second)
})
