import { expect, test } from 'vitest'
import { createMeter } from '../../src/proxy/meter.ts'

test('a steady stream has its rate, one that stops loses it', () => {
  const meter = createMeter(0)
  for (let now = 0; now < 5000; now += 100) meter.add(1000, now)
  expect(meter.total()).toBe(50_000)
  expect(meter.rate(5000)).toBe(10_000)
  expect(meter.rate(9000)).toBe(0)
})

test('the first second already has a rate', () => {
  const meter = createMeter(0)
  meter.add(500, 100)
  expect(meter.rate(500)).toBe(1000)
})
