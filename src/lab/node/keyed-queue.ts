import type { Clock } from '../../clock.ts'

/** Failures in a row are tried again after 0.1, 0.2, 0.4 … s, at most: */
const LONGEST_RETRY_MS = 5000

/** Work by key: one key is never worked on twice at a time, and however often it is added meanwhile, once more after. */
export interface KeyedQueue {
  add(key: string): void
  /** @param ms how long to wait before */
  addLater(key: string, ms: number): void
  close(): Promise<void>
}

/** @param work what it throws is reported and tried again */
export function keyedQueue(
  work: (key: string, signal: AbortSignal) => Promise<void>,
  { clock, onError }: { clock: Clock; onError(key: string, err: unknown): void },
): KeyedQueue {
  const stop = new AbortController()
  const states = new Map<string, { dirty: boolean; running: Promise<void> }>()

  async function run(key: string, state: { dirty: boolean }): Promise<void> {
    let failures = 0
    while (state.dirty && !stop.signal.aborted) {
      state.dirty = false
      try {
        await work(key, stop.signal)
        failures = 0
      } catch (err) {
        if (stop.signal.aborted) return
        onError(key, err)
        const wait = Math.min(100 * 2 ** failures++, LONGEST_RETRY_MS)
        await clock.sleep(wait, stop.signal).catch(() => {})
        state.dirty = true
      }
    }
    states.delete(key)
  }

  function add(key: string): void {
    const state = states.get(key)
    if (state) {
      state.dirty = true
      return
    }
    if (stop.signal.aborted) return
    const fresh = { dirty: true, running: Promise.resolve() }
    states.set(key, fresh)
    fresh.running = run(key, fresh)
  }

  return {
    add,
    addLater(key, ms) {
      clock.sleep(ms, stop.signal).then(
        () => add(key),
        () => {},
      )
    },
    async close() {
      stop.abort(new Error('the queue was closed'))
      await Promise.all([...states.values()].map(({ running }) => running))
    },
  }
}
