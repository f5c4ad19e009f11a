import { expect, test } from 'vitest'
import { createChannel } from '../../src/migrate/channel.ts'

test('what is pushed comes in order, before and after the reader waits', async () => {
  const channel = createChannel<number>()
  channel.push(1)
  channel.push(2)
  const heard: number[] = []
  const reading = (async () => {
    for await (const value of channel) heard.push(value)
  })()
  await Promise.resolve()
  channel.push(3)
  channel.close()
  channel.push(4)
  await reading
  expect(heard).toEqual([1, 2, 3])
})

test('a failure comes after what was pushed before it', async () => {
  const channel = createChannel<number>()
  channel.push(1)
  channel.fail(new Error('broken'))
  channel.close()
  const heard: number[] = []
  await expect(async () => {
    for await (const value of channel) heard.push(value)
  }).rejects.toThrow('broken')
  expect(heard).toEqual([1])
})

test('a reader that stops leaves the rest to the next', async () => {
  const channel = createChannel<number>()
  channel.push(1)
  channel.push(2)
  for await (const value of channel) if (value === 1) break
  channel.close()
  const rest: number[] = []
  for await (const value of channel) rest.push(value)
  expect(rest).toEqual([2])
})

test('an undefined reason is a failure too', async () => {
  const channel = createChannel<number>()
  channel.fail(undefined)
  await expect(
    (async () => {
      for await (const _ of channel);
      return 'ended'
    })(),
  ).rejects.toBeUndefined()
})
