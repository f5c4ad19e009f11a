import type { Clock } from '../../../src/clock.ts'

/** Time that passes only when the test says so. */
export interface ManualClock extends Clock {
  /** Lets `ms` pass, waking sleepers in order. */
  pass(ms: number): Promise<void>
}

export function manualClock(start = 0): ManualClock {
  let now = start
  const sleepers = new Set<{ until: number; wake: () => void }>()
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { until: now + ms, wake: () => resolve() }
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          reject(signal.reason)
        })
        sleepers.add(sleeper)
      }),
    async pass(ms) {
      const end = now + ms
      for (;;) {
        const [next] = [...sleepers]
          .filter(({ until }) => until <= end)
          .sort((a, b) => a.until - b.until)
        if (!next) break
        now = Math.max(now, next.until)
        sleepers.delete(next)
        next.wake()
        await settled()
      }
      now = end
      await settled()
    },
  }
}

/** All that follows from promises that are resolved by now. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
