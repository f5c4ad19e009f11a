import { expect, test } from 'vitest'
import { shareReading } from '../../src/migrate/shared-reading.ts'

function counting(fails: () => boolean = () => false) {
  let now = 0
  let readings = 0
  const clock = { now: () => now, sleep: async () => {} }
  const read = shareReading(
    async () => {
      readings++
      if (fails()) throw new Error('unreachable')
      return readings
    },
    clock,
    1000,
  )
  const passTo = (ms: number) => {
    now = ms
  }
  return { read, passTo, readings: () => readings }
}

test('many who ask at once, and soon after, share one reading', async () => {
  const { read, passTo, readings } = counting()
  await Promise.all([read(), read(), read()])
  passTo(900)
  await read()
  expect(readings()).toBe(1)
  passTo(2000)
  expect(await read()).toBe(2)
})

test('one that failed is tried again by who asks next', async () => {
  let down = true
  const { read } = counting(() => down)
  await expect(read()).rejects.toThrow('unreachable')
  down = false
  expect(await read()).toBe(2)
})
