import { expect, test } from 'vitest'
import { createExpectations } from '../../../src/lab/controller/expectations.ts'
import { createMutex } from '../../../src/lab/controller/mutex.ts'
import { manualClock, settled } from './manual-clock.ts'

test('what was made and is not seen yet is expected, for five minutes', async () => {
  const clock = manualClock()
  const expectations = createExpectations(clock)
  expect(expectations.allSatisfied()).toBe(true)
  expectations.expect('a', '1')
  expectations.expect('a', '2')
  expectations.expect('b', '3')
  expectations.settle('a', '1')
  expect(expectations.satisfied('a')).toBe(false)
  expectations.settle('a', '2')
  expect(expectations.satisfied('a')).toBe(true)
  expect(expectations.allSatisfied()).toBe(false)
  await clock.pass(5 * 60_000 + 1)
  expect(expectations.allSatisfied()).toBe(true)
})

test('what is forgotten is not waited for', () => {
  const expectations = createExpectations(manualClock())
  expectations.expect('a', '1')
  expectations.forget('a')
  expect(expectations.allSatisfied()).toBe(true)
  expectations.settle('a', '1')
})

test('a mutex lets one in at a time, in order, and survives failures', async () => {
  const mutex = createMutex()
  const log: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = mutex.run(async () => {
    log.push('first in')
    await gate.promise
    log.push('first out')
    throw new Error('broken')
  })
  const second = mutex.run(async () => void log.push('second'))
  await settled()
  expect(log).toEqual(['first in'])
  gate.resolve()
  await expect(first).rejects.toThrow('broken')
  await second
  expect(log).toEqual(['first in', 'first out', 'second'])
})
