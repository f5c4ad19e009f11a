import { setTimeout as delay } from 'node:timers/promises'

/** What tells the time to those who wait: commands, the lab and the proxy. Rules and checks get `now` instead. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal ? { signal } : {})
    } catch (err) {
      throw signal?.aborted ? signal.reason : err
    }
  },
}
