import type { Clock } from '../../../clock.ts'

/** Shorter waits than this are saved up: a timer is not more exact. */
const SHORTEST_WAIT_MS = 5
/** What may be caught up with after a stall, so that a late timer does not lower the rate. */
const BURST_MS = 50

/** Lets bytes pass at a rate; it never waits when there is none. */
export class RateLimit {
  readonly #clock: Clock
  readonly #bytesPerSecond: number
  #free: number

  /** @param bytesPerSecond 0 is no limit */
  constructor(bytesPerSecond: number, clock: Clock) {
    this.#bytesPerSecond = bytesPerSecond
    this.#clock = clock
    this.#free = clock.now()
  }

  /** Resolves when that many bytes more may go; rejects when the signal is aborted. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#bytesPerSecond <= 0) return
    const now = this.#clock.now()
    this.#free = Math.max(this.#free, now - BURST_MS) + (bytes / this.#bytesPerSecond) * 1000
    const wait = this.#free - now
    if (wait >= SHORTEST_WAIT_MS) await this.#clock.sleep(wait, signal)
  }
}

/** Bytes a second over the last second or so. */
export class Meter {
  readonly #clock: Clock
  readonly #marks: { at: number; bytes: number }[]
  #total = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#marks = [{ at: clock.now(), bytes: 0 }]
  }

  get total(): number {
    return this.#total
  }

  add(bytes: number): void {
    this.#total += bytes
    const now = this.#clock.now()
    const last = this.#marks.at(-1)
    if (!last || now - last.at >= 50) this.#marks.push({ at: now, bytes: this.#total })
    while (this.#marks.length > 2 && now - (this.#marks[1]?.at ?? now) >= 1000) this.#marks.shift()
  }

  rate(): number {
    const oldest = this.#marks[0]
    const elapsed = this.#clock.now() - (oldest?.at ?? 0)
    return oldest && elapsed > 0 ? ((this.#total - oldest.bytes) / elapsed) * 1000 : 0
  }
}
