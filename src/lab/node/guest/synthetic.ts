import type { Clock } from '../../../clock.ts'
import type { BlockPool } from './block-pool.ts'
import { checksumOf } from './checksum.ts'
import type { Arrival, ChannelFiles, Copy, CopySettings, Guest, GuestSpec } from './guest.ts'
import { type MissingPages, receiveCopy } from './incoming-copy.ts'
import { startOutgoingCopy } from './outgoing-copy.ts'
import { PagedStore } from './paged-store.ts'
import { acceptChannel, connectChannel, type Listening } from './sockets.ts'
import { seedOf, usedContent, Workload, type WorkloadState } from './workload.ts'

/** A guest that runs by itself, from its start. */
export function bootSynthetic(spec: GuestSpec, clock: Clock, pool: BlockPool): Guest {
  const guest = new SyntheticGuest(spec, clock, pool, 'paused')
  void guest.resume()
  return guest
}

/** The empty shell of a guest that is to arrive. */
export function incomingSynthetic(spec: GuestSpec, clock: Clock, pool: BlockPool): Guest {
  return new SyntheticGuest(spec, clock, pool, 'incoming')
}

class SyntheticGuest implements Guest {
  readonly #clock: Clock
  readonly #memory: PagedStore
  readonly #disk: PagedStore | undefined
  #dirtyRate: number
  #workload: Workload
  #state: Guest['state']
  #missing: MissingPages | undefined
  /** Pages as they were handed over, where post-copy's guest has written them since. */
  readonly #handedOver = new Map<number, Buffer>()
  readonly #listening: Listening[] = []

  constructor(spec: GuestSpec, clock: Clock, pool: BlockPool, state: Guest['state']) {
    this.#clock = clock
    const content = (seed: number) => (state === 'incoming' ? undefined : usedContent(seed))
    this.#memory = new PagedStore(spec.memoryBytes, pool, content(spec.seed))
    this.#disk =
      spec.diskBytes > 0
        ? new PagedStore(spec.diskBytes, pool, content(spec.seed + 0x10000))
        : undefined
    this.#dirtyRate = spec.dirtyRate
    this.#state = state
    this.#workload = this.#newWorkload({ writes: 0, random: seedOf(spec.seed) })
  }

  get state(): Guest['state'] {
    return this.#state
  }

  async pause(): Promise<void> {
    this.#pause()
  }

  #pause(): void {
    this.#workload.pause()
    if (this.#state === 'running') this.#state = 'paused'
  }

  async resume(): Promise<void> {
    if (this.#state === 'ended') return
    this.#state = 'running'
    this.#workload.resume()
  }

  setDirtyRate(bytesPerSecond: number): void {
    this.#dirtyRate = bytesPerSecond
    this.#workload.setRate(bytesPerSecond)
  }

  copyTo(files: ChannelFiles, settings: CopySettings): Copy {
    const { memory, disk } = files
    return startOutgoingCopy(
      {
        memory: this.#memory,
        disk: this.#disk,
        pause: () => this.#pause(),
        setThrottle: (share) => {
          this.#workload.throttle = share
        },
        deviceState: () => this.#workload.state,
      },
      {
        memory: (handlers) => connectChannel(memory, handlers),
        ...(disk && { disk: (handlers) => connectChannel(disk, handlers) }),
      },
      settings,
      this.#clock,
    )
  }

  async listen(files: ChannelFiles): Promise<Arrival> {
    const listening = {
      memory: await acceptChannel(files.memory),
      disk: files.disk === undefined ? undefined : await acceptChannel(files.disk),
    }
    for (const one of Object.values(listening)) if (one) this.#listening.push(one)
    const arrival = receiveCopy(
      {
        memory: this.#memory,
        disk: this.#disk,
        restore: (state) => {
          this.#workload = this.#newWorkload(workloadState(state))
        },
        goOn: (missing) => {
          this.#missing = missing
          void this.resume()
        },
      },
      (which, handlers) => {
        const one = listening[which]
        if (!one) return Promise.reject(new Error(`nothing listens for the ${which}`))
        return one.channel(handlers)
      },
    )
    // The pod may be a source next, and then the same names are the proxy's.
    const stop = () => this.#listening.forEach((one) => void one.stop())
    arrival.complete.then(stop, stop)
    return arrival
  }

  async checksum(): Promise<string> {
    const memory = await checksumOf(this.#memory, this.#handedOver)
    this.#handedOver.clear()
    this.#missing = undefined
    return this.#disk ? `${memory} ${await checksumOf(this.#disk)}` : memory
  }

  async close(): Promise<void> {
    this.#pause()
    this.#state = 'ended'
    await Promise.all(this.#listening.splice(0).map((one) => one.close()))
    this.#memory.clear()
    this.#disk?.clear()
  }

  #newWorkload(state: WorkloadState): Workload {
    return new Workload({
      memory: this.#memory,
      clock: this.#clock,
      bytesPerSecond: this.#dirtyRate,
      state,
      beforeWrite: (page) => this.#beforeWrite(page),
    })
  }

  #beforeWrite(page: number): Promise<void> | undefined {
    if (!this.#missing) return undefined
    const wait = this.#missing.wait(page)
    if (wait) return wait.then(() => this.#preserve(page))
    this.#preserve(page)
    return undefined
  }

  #preserve(page: number): void {
    if (this.#handedOver.has(page)) return
    this.#handedOver.set(page, Buffer.from(this.#memory.read(page, 1)))
  }
}

function workloadState(state: unknown): WorkloadState {
  const { writes, random } = (state ?? {}) as Partial<WorkloadState>
  if (typeof writes !== 'number' || typeof random !== 'number')
    throw new Error('the data channel brought no state of a guest')
  return { writes, random }
}
