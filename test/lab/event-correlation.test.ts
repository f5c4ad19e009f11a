import { expect, test } from 'vitest'
import { createEventCorrelator } from '../../src/lab/event-correlation.ts'

const refused = (n: number) => ({
  uid: 'vmi',
  type: 'Warning',
  reason: 'FailedCreate',
  message: `Error creating pod: pods "p-${n}" is forbidden`,
})

function recorder() {
  const correlator = createEventCorrelator()
  let names = 0
  return (occurrence: Parameters<typeof correlator.correlate>[0], now = 0) => {
    const found = correlator.correlate(occurrence, now)
    if (found.write === 'new') correlator.written(found.key, `e${names++}`)
    return found
  }
}

test('the same event is counted', () => {
  const record = recorder()
  expect(record(refused(1))).toMatchObject({ write: 'new' })
  expect(record(refused(1))).toMatchObject({ write: 'again', name: 'e0', count: 2 })
  expect(record(refused(1))).toMatchObject({ write: 'again', name: 'e0', count: 3 })
})

test('from the tenth different message on, all are one event', () => {
  const record = recorder()
  for (let n = 1; n <= 9; n++) expect(record(refused(n))).toMatchObject({ write: 'new' })
  expect(record(refused(10))).toMatchObject({
    write: 'new',
    message: '(combined from similar events): Error creating pod: pods "p-10" is forbidden',
  })
  expect(record(refused(11))).toMatchObject({ write: 'again', name: 'e9', count: 2 })
  expect(record({ ...refused(1), reason: 'Other' })).toMatchObject({ write: 'new' })
})

test('after ten minutes of silence they are apart again', () => {
  const record = recorder()
  for (let n = 1; n <= 10; n++) record(refused(n))
  const later = record(refused(11), 600_001)
  expect(later).toMatchObject({ write: 'new', message: refused(11).message })
})

test('an object gets 25 events at once, then one in five minutes', () => {
  const record = recorder()
  for (let n = 1; n <= 25; n++) expect(record(refused(1)).write).not.toBe('nothing')
  expect(record(refused(1))).toEqual({ write: 'nothing' })
  expect(record({ ...refused(1), uid: 'other' }).write).toBe('new')
  expect(record(refused(1), 300_000).write).toBe('again')
  expect(record(refused(1), 300_000)).toEqual({ write: 'nothing' })
})
