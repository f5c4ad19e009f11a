import type { Channel, ChannelHandlers } from './channel.ts'
import { hashAhead } from './checksum.ts'
import type { Arrival } from './guest.ts'
import { type PagedStore, PageSet } from './paged-store.ts'

export interface IncomingGuest {
  memory: PagedStore
  disk?: PagedStore | undefined
  /** Takes over what moves beside memory and disk. */
  restore(state: unknown): void
  /** Post-copy: the guest may go on, but not touch these pages before they have arrived. */
  goOn(missing: MissingPages): void
}

/** Opens one data channel for the copy; called once for each, before anything is awaited. */
export type AcceptChannel = (
  which: 'memory' | 'disk',
  handlers: ChannelHandlers,
) => Promise<Channel>

/** The target's side of a copy: it stores what comes and says when all is there. */
export function receiveCopy(guest: IncomingGuest, accept: AcceptChannel): Arrival {
  const runnable = Promise.withResolvers<void>()
  const memory = receiveMemory(guest, accept, runnable.resolve)
  const disk = guest.disk ? receiveDisk(guest.disk, accept) : Promise.resolve()
  const complete = Promise.all([memory, disk]).then(() => {})
  complete.then(runnable.resolve, runnable.reject)
  for (const promise of [complete, runnable.promise]) promise.catch(() => {})
  return { complete, runnable: runnable.promise }
}

async function receiveMemory(
  guest: IncomingGuest,
  accept: AcceptChannel,
  onPostCopy: () => void,
): Promise<void> {
  const finished = Promise.withResolvers<void>()
  let missing: MissingPages | undefined
  const channel: Channel = await accept('memory', {
    store: guest.memory,
    onPages(first, count) {
      missing?.arrived(first, count)
      hashAhead(guest.memory, first, count)
    },
    onMissing: (flags) => {
      missing = new MissingPages(flags, (page) => send(channel.sendRequest(page)))
    },
    onState: (state) => {
      guest.restore(state)
      if (!missing) return
      guest.goOn(missing)
      send(channel.sendResumed())
      onPostCopy()
    },
    onDone: finished.resolve,
  })
  await settled(channel, finished.promise)
}

async function receiveDisk(disk: PagedStore, accept: AcceptChannel): Promise<void> {
  const finished = Promise.withResolvers<void>()
  const channel = await accept('disk', {
    store: disk,
    onPages: (first, count) => hashAhead(disk, first, count),
    onDone: finished.resolve,
  })
  await settled(channel, finished.promise)
}

async function settled(channel: Channel, finished: Promise<void>): Promise<void> {
  const broken = new Promise<never>((_, reject) => {
    if (channel.failed.aborted) reject(channel.failed.reason)
    channel.failed.addEventListener('abort', () => reject(channel.failed.reason))
  })
  broken.catch(() => {})
  await Promise.race([finished, broken])
  await channel.sendReceived()
}

/** A failed send shows as the channel's failure; nobody waits for the single frame. */
function send(sent: Promise<void>): void {
  sent.catch(() => {})
}

/** Pages that post-copy has still to bring; a guest that touches one waits for it. */
export class MissingPages {
  readonly #pages: PageSet
  readonly #waiting = new Map<number, () => void>()
  readonly #request: (page: number) => void

  constructor(flags: Buffer, request: (page: number) => void) {
    this.#pages = new PageSet(flags.length, flags)
    this.#request = request
  }

  /** Undefined when the page is there; else a promise that resolves when it has come. */
  wait(page: number): Promise<void> | undefined {
    if (!this.#pages.has(page)) return undefined
    this.#request(page)
    return new Promise((resolve) => this.#waiting.set(page, resolve))
  }

  arrived(first: number, count: number): void {
    for (let page = first; page < first + count; page++) {
      this.#pages.delete(page)
      this.#waiting.get(page)?.()
      this.#waiting.delete(page)
    }
  }
}
