import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../../src/clock.ts'
import { createLink } from '../../../../src/lab/node/faults/link.ts'
import { createProxyManager } from '../../../../src/proxy/manager.ts'
import { connectedPair } from './pair.ts'

const MIB = 2 ** 20

/** A proxy behind the link, and what has come out of it. */
async function behind(link: ReturnType<typeof createLink>) {
  const pair = await connectedPair({
    manager: (bind) =>
      createProxyManager({ bind, tls: () => 'disabled', clock: systemClock, intake: link.intake }),
    listen: createServer,
  })
  onTestFinished(pair.close)
  return pair
}

test('a link that stalls holds up what comes after so many bytes, and lets it all go when it is well again', async () => {
  const link = createLink(systemClock)
  const { send, received } = await behind(link)
  link.set({ after: MIB })
  const all = send(4 * MIB)
  await expect.poll(received).toBeGreaterThanOrEqual(MIB)
  const before = received()
  await systemClock.sleep(100)
  expect([received(), before < 3 * MIB]).toEqual([before, true])
  link.set(undefined)
  await all
  await expect.poll(received).toBe(4 * MIB)
})

test('a slow link keeps to its rate', async () => {
  const link = createLink(systemClock)
  const { send, received } = await behind(link)
  link.set({ rate: 4 * MIB })
  const from = performance.now()
  await send(2 * MIB)
  await expect.poll(received).toBe(2 * MIB)
  expect(performance.now() - from).toBeGreaterThan(200)
})
