import { expect, test } from 'vitest'
import { startWorker } from '../../../src/lab/controller/worker.ts'
import { manualClock, settled } from './manual-clock.ts'

test('a pass that fails is logged and tried again, the others go on', async () => {
  const clock = manualClock()
  const seen: string[] = []
  const log: string[] = []
  let failing = true
  const worker = startWorker({
    name: 'test',
    clock,
    log: ({ key, reason }) => log.push(`${key}: ${reason}`),
    threads: 2,
    async reconcile(key) {
      seen.push(key)
      if (key === 'bad' && failing) throw new Error('not yet')
    },
  })
  worker.queue.add('bad')
  worker.queue.add('good')
  await settled()
  expect(seen).toEqual(['bad', 'good'])
  expect(log).toEqual(['bad: not yet'])
  failing = false
  await clock.pass(5)
  expect(seen).toEqual(['bad', 'good', 'bad'])
  expect(worker.queue.idle()).toBe(true)
  await worker.close()
})

test('closing waits for what is being done', async () => {
  const gate = Promise.withResolvers<void>()
  let done = false
  const worker = startWorker({
    name: 'test',
    clock: manualClock(),
    log: () => {},
    threads: 1,
    async reconcile() {
      await gate.promise
      done = true
    },
  })
  worker.queue.add('a')
  await settled()
  const closed = worker.close()
  gate.resolve()
  await closed
  expect(done).toBe(true)
})
