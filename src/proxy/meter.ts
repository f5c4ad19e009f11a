/** Counts the bytes of one direction and tells their rate. */
export interface Meter {
  add(count: number, now: number): void
  total(): number
  /** Bytes a second, over the last one to two seconds. */
  rate(now: number): number
}

const WINDOW_MS = 1000

export function createMeter(now: number): Meter {
  let total = 0
  let older = { at: now, total }
  let newer = older
  const roll = (at: number) => {
    if (at - newer.at < WINDOW_MS) return
    older = at - newer.at < 2 * WINDOW_MS ? newer : { at: at - WINDOW_MS, total }
    newer = { at, total }
  }
  return {
    add(count, at) {
      roll(at)
      total += count
    },
    total: () => total,
    rate(at) {
      roll(at)
      const ms = at - older.at
      return ms > 0 ? Math.round(((total - older.total) * 1000) / ms) : 0
    },
  }
}
