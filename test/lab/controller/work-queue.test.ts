import { describe, expect, test } from 'vitest'
import { createWorkQueue, type Item } from '../../../src/lab/controller/work-queue.ts'
import { manualClock, settled } from './manual-clock.ts'

function started() {
  const clock = manualClock()
  const queue = createWorkQueue(clock)
  const taken: string[] = []
  /** Takes and finishes at once whatever is ready. */
  async function drain(): Promise<string[]> {
    taken.length = 0
    while (!queue.idle()) {
      const item = (await queue.take()) as Item
      taken.push(item.key)
      queue.done(item.key)
    }
    return [...taken]
  }
  return { clock, queue, drain }
}

describe('a work queue', () => {
  test('hands out the highest priority first, equals in the order of arrival', async () => {
    const { queue, drain } = started()
    queue.add('a')
    queue.add('b', { priority: 100 })
    queue.add('c')
    queue.add('d', { priority: 1000 })
    expect(await drain()).toEqual(['d', 'b', 'a', 'c'])
  })

  test('has a key once, with the highest priority and the earliest time it was given', async () => {
    const { clock, queue, drain } = started()
    queue.add('a', { after: 5000 })
    queue.add('a', { after: 1000, priority: 50 })
    queue.add('a', { after: 9000 })
    queue.add('b', { after: 1000 })
    await clock.pass(999)
    expect(await drain()).toEqual([])
    await clock.pass(1)
    expect(await drain()).toEqual(['a', 'b'])
    await clock.pass(10_000)
    expect(await drain()).toEqual([])
  })

  test('what is not ready is in nobody’s way, whatever its priority', async () => {
    const { queue, drain } = started()
    queue.add('urgent', { priority: 1000, after: 1000 })
    queue.add('ready')
    expect(await drain()).toEqual(['ready'])
  })

  test('wakes who waits when the time has come', async () => {
    const { clock, queue } = started()
    queue.add('late', { after: 1000 })
    const taken = queue.take()
    await clock.pass(1000)
    expect(await taken).toEqual({ key: 'late', priority: 0 })
  })

  test('never hands a key to two at once; added meanwhile, it comes back', async () => {
    const { queue } = started()
    queue.add('a')
    await queue.take()
    queue.add('a', { priority: 7 })
    let second: Item | undefined
    const waiting = queue.take().then((item) => {
      second = item
    })
    await settled()
    expect(second).toBeUndefined()
    queue.done('a')
    await waiting
    expect(second).toEqual({ key: 'a', priority: 7 })
  })

  test('tries a failure again after 5 ms, twice as long each time, until it is forgotten', async () => {
    const { clock, queue, drain } = started()
    const delays: number[] = []
    for (let n = 0; n < 4; n++) {
      queue.retry('a')
      const before = clock.now()
      while (queue.idle()) await clock.pass(1)
      delays.push(clock.now() - before)
      await drain()
    }
    expect(delays).toEqual([5, 10, 20, 40])
    queue.forget('a')
    queue.retry('a')
    await clock.pass(5)
    expect(await drain()).toEqual(['a'])
  })

  test('lets failures rest as long as it is told', async () => {
    const clock = manualClock()
    const queue = createWorkQueue(clock, { first: 1000, last: 1500 })
    const taken: string[] = []
    queue.retry('a')
    void queue.take().then((item) => taken.push(item?.key ?? ''))
    await clock.pass(999)
    expect(taken).toEqual([])
    await clock.pass(1)
    expect(taken).toEqual(['a'])
    queue.done('a')
    queue.retry('a')
    void queue.take().then((item) => taken.push(item?.key ?? ''))
    await clock.pass(1499)
    expect(taken).toEqual(['a'])
    await clock.pass(1)
    expect(taken).toEqual(['a', 'a'])
    queue.close()
  })

  test('is idle only while nothing is ready and nothing is being worked on', async () => {
    const { clock, queue } = started()
    expect(queue.idle()).toBe(true)
    expect(queue.waiting()).toBe(false)
    queue.add('a', { after: 10 })
    expect(queue.idle()).toBe(true)
    expect(queue.waiting()).toBe(true)
    await clock.pass(10)
    expect(queue.idle()).toBe(false)
    await queue.take()
    expect(queue.idle()).toBe(false)
    queue.done('a')
    expect(queue.idle()).toBe(true)
  })

  test('ends those who wait when it is closed, and takes nothing more', async () => {
    const { queue } = started()
    const waiting = queue.take()
    queue.close()
    queue.close()
    expect(await waiting).toBeUndefined()
    queue.add('a')
    expect(await queue.take()).toBeUndefined()
  })
})
