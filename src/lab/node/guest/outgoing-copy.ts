import type { Clock } from '../../../clock.ts'
import { type Channel, LONGEST_RUN } from './channel.ts'
import { hashAhead } from './checksum.ts'
import type { Copy, CopyProgress, CopySettings } from './guest.ts'
import { PAGE_BYTES, type PagedStore, type PageSet } from './paged-store.ts'
import { Meter, RateLimit } from './rate-limit.ts'

/** Auto-converge as QEMU does it: 20 % at first, 10 % more after each round that gains too little. */
const THROTTLE_FIRST = 0.2
const THROTTLE_STEP = 0.1
const THROTTLE_MOST = 0.99

export interface OutgoingGuest {
  memory: PagedStore
  disk?: PagedStore | undefined
  pause(): void
  setThrottle(share: number): void
  /** What moves beside memory and disk; taken when the guest is paused. */
  deviceState(): unknown
}

export interface OutgoingChannels {
  memory(handlers: ConstructorParameters<typeof Channel>[1]): Promise<Channel>
  disk?(handlers: ConstructorParameters<typeof Channel>[1]): Promise<Channel>
}

/** Pre-copy in rounds, then a last round with the guest paused, or post-copy: the source's side of a copy. */
export function startOutgoingCopy(
  guest: OutgoingGuest,
  channels: OutgoingChannels,
  settings: CopySettings,
  clock: Clock,
): Copy {
  const copy = new OutgoingCopy(guest, channels, settings, clock)
  return {
    done: copy.run(),
    progress: () => copy.progress(),
    startPostCopy: () => copy.startPostCopy(),
    cancel: (reason) => copy.cancel(reason),
    kill: () => copy.kill(),
  }
}

class OutgoingCopy {
  readonly #guest: OutgoingGuest
  readonly #channels: OutgoingChannels
  readonly #settings: CopySettings
  readonly #clock: Clock
  readonly #cancelled = new AbortController()
  readonly #memoryMeter: Meter
  readonly #diskMeter: Meter
  readonly #requests: number[] = []
  readonly #lanes: Lane[] = []
  #iteration = 0
  #dirtyRate = 0
  #throttle = 0
  #requested = 0
  #pausedAt: number | undefined
  #resumedAt: number | undefined
  #postCopy: 'no' | 'asked' | 'begun' = 'no'
  #received = { memory: Promise.withResolvers<void>(), disk: Promise.withResolvers<void>() }

  constructor(
    guest: OutgoingGuest,
    channels: OutgoingChannels,
    settings: CopySettings,
    clock: Clock,
  ) {
    this.#guest = guest
    this.#channels = channels
    this.#settings = settings
    this.#clock = clock
    this.#memoryMeter = new Meter(clock)
    this.#diskMeter = new Meter(clock)
  }

  startPostCopy(): void {
    if (this.#postCopy === 'no') this.#postCopy = 'asked'
  }

  cancel(reason: Error): void {
    if (this.#postCopy !== 'begun') this.#cancelled.abort(reason)
  }

  kill(): void {
    this.#cancelled.abort(new Error('the process has ended'))
  }

  async run(): Promise<void> {
    const { memory, disk } = this.#guest
    const open: Channel[] = []
    memory.startTracking()
    disk?.startTracking()
    try {
      const memoryChannel = await this.#connect(open, this.#channels.memory, 'memory')
      const diskChannel =
        disk && this.#channels.disk && (await this.#connect(open, this.#channels.disk, 'disk'))
      await this.#copy(memoryChannel, diskChannel)
      for (const channel of open) channel.close()
    } catch (err) {
      const reason = err instanceof Error ? err : new Error(String(err))
      for (const channel of open) channel.fail(reason)
      throw reason
    } finally {
      this.#guest.setThrottle(0)
      memory.stopTracking()
      disk?.stopTracking()
    }
  }

  async #connect(
    open: Channel[],
    connect: OutgoingChannels['memory'],
    which: 'memory' | 'disk',
  ): Promise<Channel> {
    this.#cancelled.signal.throwIfAborted()
    const channel = await connect({
      onReceived: () => this.#received[which].resolve(),
      onResumed: () => {
        this.#resumedAt = this.#clock.now()
      },
      onRequest: (page) => {
        this.#requested++
        this.#requests.push(page)
      },
    })
    open.push(channel)
    // The promises below must never be rejected unheard; whoever waits for them gets the reason.
    const { promise, reject } = this.#received[which]
    promise.catch(() => {})
    channel.failed.addEventListener('abort', () => reject(channel.failed.reason))
    this.#cancelled.signal.addEventListener('abort', () =>
      channel.fail(this.#cancelled.signal.reason),
    )
    this.#cancelled.signal.throwIfAborted()
    return channel
  }

  async #copy(memoryChannel: Channel, diskChannel: Channel | undefined): Promise<void> {
    const { memory, disk } = this.#guest
    const memoryLane = this.#lane(memory, memoryChannel, this.#memoryMeter)
    const diskLane = disk && diskChannel && this.#lane(disk, diskChannel, this.#diskMeter)
    // As libvirt: the disks first, until they are in step, then the memory.
    if (disk && diskLane) await this.#converge(disk, diskLane, () => 0)
    const diskBytes = () => (disk ? disk.dirtyPages * PAGE_BYTES : 0)
    const rest = await this.#converge(memory, memoryLane, diskBytes)

    this.#guest.pause()
    this.#pausedAt = this.#clock.now()
    if (disk && diskLane && diskChannel) {
      await this.#sendRound(disk.takeDirty(), diskLane)
      await diskChannel.sendDone()
      await this.#received.disk.promise
    }
    this.#cancelled.signal.throwIfAborted()
    const last = union(memory.takeDirty(), rest)
    if (this.#postCopy === 'asked') {
      this.#postCopy = 'begun'
      await memoryChannel.sendMissing(Buffer.from(last.flags))
      await memoryChannel.sendState(this.#guest.deviceState())
      await this.#sendRound(last, memoryLane)
    } else {
      await this.#sendRound(last, memoryLane)
      await memoryChannel.sendState(this.#guest.deviceState())
    }
    await memoryChannel.sendDone()
    await this.#received.memory.promise
    this.#cancelled.signal.throwIfAborted()
  }

  #lane(store: PagedStore, channel: Channel, meter: Meter): Lane {
    const { bandwidth } = this.#settings
    // A capped copy goes in small pieces, so that it flows instead of coming in gusts.
    const most = bandwidth > 0 ? Math.max(1, Math.floor(bandwidth / 20 / PAGE_BYTES)) : LONGEST_RUN
    const lane: Lane = {
      store,
      channel,
      meter,
      longestRun: Math.min(most, LONGEST_RUN),
      limit: new RateLimit(bandwidth, this.#clock),
      round: undefined,
    }
    this.#lanes.push(lane)
    return lane
  }

  /** Rounds until what is left can be sent within the downtime, or post-copy is asked for. Returns what a cut round left. */
  async #converge(
    store: PagedStore,
    lane: Lane,
    alsoLeft: () => number,
  ): Promise<PageSet | undefined> {
    const isMemory = store === this.#guest.memory
    while (true) {
      const round = store.takeDirty()
      const bytes = round.size * PAGE_BYTES
      const started = this.#clock.now()
      if (isMemory) this.#iteration++
      await this.#sendRound(round, lane)
      if (isMemory && this.#postCopy === 'asked') return round
      const elapsed = Math.max(this.#clock.now() - started, 1)
      const dirty = store.dirtyPages * PAGE_BYTES
      if (isMemory) this.#dirtyRate = (dirty / elapsed) * 1000
      if (
        this.#expectedDowntime(dirty + alsoLeft(), bytes, elapsed) <= this.#settings.maxDowntimeMs
      )
        return undefined
      if (isMemory && this.#settings.autoConverge && dirty > bytes / 2) this.#slowDown()
    }
  }

  #expectedDowntime(left: number, sent: number, elapsed: number): number {
    return left === 0 ? 0 : (left * elapsed) / Math.max(sent, 1)
  }

  #slowDown(): void {
    const next = this.#throttle === 0 ? THROTTLE_FIRST : this.#throttle + THROTTLE_STEP
    this.#throttle = Math.min(next, THROTTLE_MOST)
    this.#guest.setThrottle(this.#throttle)
  }

  /** Sends the pages of the set and takes each off it; stops early when post-copy is asked for. */
  async #sendRound(round: PageSet, lane: Lane): Promise<void> {
    const isMemory = lane.store === this.#guest.memory
    lane.round = round
    let from = 0
    while (round.size > 0) {
      if (isMemory && this.#postCopy === 'asked') return
      const urgent = isMemory ? this.#requests.shift() : undefined
      const run =
        urgent !== undefined && round.has(urgent)
          ? { first: urgent, count: 1 }
          : (round.nextRun(from) ?? round.nextRun(0))
      if (!run) return
      const count = Math.min(run.count, lane.longestRun)
      for (let page = run.first; page < run.first + count; page++) round.delete(page)
      if (urgent === undefined) from = run.first + count
      await lane.limit.take(count * PAGE_BYTES, this.#cancelled.signal)
      await lane.channel.sendPages(lane.store, run.first, count)
      lane.meter.add(count * PAGE_BYTES)
      hashAhead(lane.store, run.first, count)
    }
  }

  progress(): CopyProgress {
    const { memory, disk } = this.#guest
    const left = this.#lanes.reduce((sum, lane) => sum + (lane.round?.size ?? 0), 0)
    const dirty = memory.dirtyPages + (disk?.dirtyPages ?? 0)
    const memoryRate = this.#memoryMeter.rate()
    return {
      mode: this.#postCopy === 'begun' ? 'PostCopy' : 'PreCopy',
      iteration: this.#iteration,
      totalBytes: memory.bytes + (disk?.bytes ?? 0),
      processedBytes: this.#memoryMeter.total + this.#diskMeter.total,
      remainingBytes: (left + dirty) * PAGE_BYTES,
      memoryBytesPerSecond: memoryRate,
      diskBytesPerSecond: this.#diskMeter.rate(),
      dirtyBytesPerSecond: this.#dirtyRate,
      expectedDowntimeMs: memoryRate > 0 ? (memory.dirtyPages * PAGE_BYTES * 1000) / memoryRate : 0,
      pausedAt: this.#pausedAt,
      resumedAt: this.#resumedAt,
      throttlePercent: Math.round(this.#throttle * 100),
      postCopyRequests: this.#requested,
    }
  }
}

interface Lane {
  store: PagedStore
  channel: Channel
  meter: Meter
  limit: RateLimit
  /** Pages a frame. */
  longestRun: number
  /** What the current round has still to send. */
  round: PageSet | undefined
}

function union(a: PageSet, b: PageSet | undefined): PageSet {
  for (let run = b?.nextRun(0); run; run = b?.nextRun(run.first + run.count)) {
    for (let page = run.first; page < run.first + run.count; page++) a.add(page)
  }
  return a
}
