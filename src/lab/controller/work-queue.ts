import type { Clock } from '../../clock.ts'

interface AddOptions {
  /** The higher goes first; default 0. */
  priority?: number
  /** ms until it is ready; what is not ready is in nobody's way. */
  after?: number
}

export interface Item {
  key: string
  priority: number
}

/**
 * Keys to be worked on, each at most once: added again, a key keeps the highest priority and the earliest time, and one
 * that is being worked on comes back when that is done (fact sheet control-plane.md §2.2).
 */
export interface WorkQueue {
  add(key: string, options?: AddOptions): void
  /** After a failure: the first delay (5 ms, unless said otherwise), doubled each time, at most the last (1000 s). */
  retry(key: string, priority?: number): void
  /** The key succeeded: its next failure counts as the first. */
  forget(key: string): void
  /** The next that is ready, the highest priority first, among equals the one that was ready first; undefined once closed. */
  take(): Promise<Item | undefined>
  done(key: string): void
  /** Nothing is ready and nothing is being worked on; what waits for its time does not count. */
  idle(): boolean
  /** Something waits for its time. */
  waiting(): boolean
  close(): void
}

/** How long a failure is let rest, ms. */
export interface RetryDelays {
  first: number
  last: number
}

const RETRIES: RetryDelays = { first: 5, last: 1_000_000 }

interface Entry extends Item {
  readyAt: number
  /** Order of arrival. */
  turn: number
}

export function createWorkQueue(clock: Clock, retries = RETRIES): WorkQueue {
  const waiting = new Map<string, Entry>()
  const working = new Set<string>()
  /** Added while being worked on. */
  const again = new Map<string, Entry>()
  const failures = new Map<string, number>()
  const takers: ((item: Item | undefined) => void)[] = []
  let turns = 0
  let closed = false
  let alarm: AbortController | undefined

  function add(key: string, { priority = 0, after = 0 }: AddOptions = {}): void {
    if (closed) return
    const entries = working.has(key) ? again : waiting
    const before = entries.get(key)
    const readyAt = clock.now() + after
    entries.set(key, {
      key,
      priority: Math.max(priority, before?.priority ?? priority),
      readyAt: Math.min(readyAt, before?.readyAt ?? readyAt),
      turn: before?.turn ?? turns++,
    })
    serve()
  }

  function serve(): void {
    while (takers.length > 0) {
      const entry = next(clock.now())
      if (!entry) break
      waiting.delete(entry.key)
      working.add(entry.key)
      takers.shift()?.({ key: entry.key, priority: entry.priority })
    }
    setAlarm()
  }

  function next(now: number): Entry | undefined {
    let best: Entry | undefined
    for (const entry of waiting.values())
      if (entry.readyAt <= now && (!best || goesBefore(entry, best))) best = entry
    return best
  }

  /** One sleep at a time, until the earliest of those that wait. */
  function setAlarm(): void {
    alarm?.abort()
    alarm = undefined
    if (closed || takers.length === 0 || waiting.size === 0) return
    const earliest = Math.min(...[...waiting.values()].map(({ readyAt }) => readyAt))
    const current = new AbortController()
    alarm = current
    clock.sleep(Math.max(0, earliest - clock.now()), current.signal).then(serve, () => undefined)
  }

  return {
    add,
    retry(key, priority = 0) {
      const count = failures.get(key) ?? 0
      failures.set(key, count + 1)
      add(key, { priority, after: Math.min(retries.first * 2 ** count, retries.last) })
    },
    forget: (key) => void failures.delete(key),
    take() {
      if (closed) return Promise.resolve(undefined)
      const { promise, resolve } = Promise.withResolvers<Item | undefined>()
      takers.push(resolve)
      serve()
      return promise
    },
    done(key) {
      working.delete(key)
      const entry = again.get(key)
      again.delete(key)
      if (entry && !closed) waiting.set(key, entry)
      serve()
    },
    idle: () => working.size === 0 && next(clock.now()) === undefined,
    waiting: () => waiting.size > 0,
    close() {
      closed = true
      alarm?.abort()
      for (const taker of takers.splice(0)) taker(undefined)
    },
  }
}

function goesBefore(a: Entry, b: Entry): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority
  return a.readyAt !== b.readyAt ? a.readyAt < b.readyAt : a.turn < b.turn
}
