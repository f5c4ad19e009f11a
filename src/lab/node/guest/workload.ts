import type { Clock } from '../../../clock.ts'
import { type Content, PAGE_BYTES, PAGES_PER_BLOCK, type PagedStore } from './paged-store.ts'

const TICK_MS = 20
/** After a stall (a busy machine) no more than this is caught up with at once. */
const LONGEST_TICK_MS = 200

/** What moves with the guest beside its memory: enough to go on exactly where it stopped. */
export interface WorkloadState {
  /** Pages written since the guest was started, on whatever node. */
  writes: number
  /** State of the generator that chooses pages. */
  random: number
}

/**
 * What runs inside a synthetic guest: it writes to pages of its memory, chosen at random, at a given rate.
 * Every written page gets the number of the write, so a lost, stale or misplaced page changes the checksum.
 */
export class Workload {
  readonly #memory: PagedStore
  readonly #clock: Clock
  #bytesPerSecond: number
  readonly #beforeWrite: (page: number) => Promise<void> | undefined
  #state: WorkloadState
  #resumed = false
  #running: AbortController | undefined
  /** Share of its time that the guest is not allowed to run, 0 to 0.99 (auto-converge). */
  throttle = 0

  /** @param beforeWrite may hold a write up (a page that has not arrived yet) */
  constructor(options: {
    memory: PagedStore
    clock: Clock
    bytesPerSecond: number
    state: WorkloadState
    beforeWrite: (page: number) => Promise<void> | undefined
  }) {
    this.#memory = options.memory
    this.#clock = options.clock
    this.#bytesPerSecond = options.bytesPerSecond
    this.#state = { ...options.state }
    this.#beforeWrite = options.beforeWrite
  }

  get state(): WorkloadState {
    return { ...this.#state }
  }

  /** Takes effect at once, also while it runs. */
  setRate(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond
    if (bytesPerSecond <= 0) this.#stop()
    else if (this.#resumed) this.resume()
  }

  resume(): void {
    this.#resumed = true
    if (this.#running || this.#bytesPerSecond <= 0) return
    this.#running = new AbortController()
    this.#run(this.#running.signal).catch((err: unknown) => {
      if (!(err instanceof Stopped)) throw err
    })
  }

  /** Nothing is written after this returns. */
  pause(): void {
    this.#resumed = false
    this.#stop()
  }

  #stop(): void {
    this.#running?.abort(new Stopped())
    this.#running = undefined
  }

  async #run(signal: AbortSignal): Promise<void> {
    let last = this.#clock.now()
    let due = 0
    while (true) {
      await this.#clock.sleep(TICK_MS, signal)
      const now = this.#clock.now()
      const elapsed = Math.min(now - last, LONGEST_TICK_MS)
      last = now
      due += (this.#bytesPerSecond * (1 - this.throttle) * elapsed) / 1000 / PAGE_BYTES
      for (; due >= 1; due--) {
        const page = this.#nextPage()
        const held = this.#beforeWrite(page)
        if (held) await held
        signal.throwIfAborted()
        this.#write(page)
      }
    }
  }

  #nextPage(): number {
    this.#state.random = xorshift(this.#state.random)
    return this.#state.random % this.#memory.pages
  }

  #write(page: number): void {
    this.#state.writes++
    this.#memory.write(page).writeDoubleLE(this.#state.writes, 8)
  }
}

/** A guest that has been up for a while has written to all its memory: no two pages are alike. */
export function usedContent(seed: number): Content {
  return (index, block) => {
    const random = xorshift(seedOf(seed + index))
    block.fill(random & 0xff)
    for (let page = 0; page < PAGES_PER_BLOCK; page++) {
      block.writeUInt32LE(index * PAGES_PER_BLOCK + page, page * PAGE_BYTES)
      block.writeUInt32LE(random, page * PAGE_BYTES + 4)
    }
  }
}

export function seedOf(seed: number): number {
  return seed >>> 0 || 1
}

function xorshift(x: number): number {
  let y = x
  y ^= y << 13
  y ^= y >>> 17
  y ^= y << 5
  return y >>> 0
}

class Stopped extends Error {}
