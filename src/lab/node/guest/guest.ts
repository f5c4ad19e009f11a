import type { NodeLog } from '../log.ts'

/**
 * What virt-launcher needs of a guest, whether it is synthetic, only pretended (`none`) or a QEMU: QEMU's own life of a
 * migration. The target listens first; the source connects, copies while the guest runs, pauses it and sends the rest;
 * then the target's guest is resumed and the source's ended, or the other way round.
 */
export interface Guest {
  readonly state: 'starting' | 'incoming' | 'running' | 'paused' | 'ended'
  pause(): Promise<void>
  resume(): Promise<void>
  /** Bytes of memory that the guest writes a second from now on. */
  setDirtyRate(bytesPerSecond: number): void
  /** Source: starts to copy to whoever listens behind the files. */
  copyTo(files: ChannelFiles, settings: CopySettings): Copy
  /** Target: listens at the files; resolves when it does. @param settings as the source has them */
  listen(files: ChannelFiles, settings: CopySettings): Promise<Arrival>
  /** Of memory and disk as they were handed over; undefined when this kind of guest has nothing to compare. */
  checksum(): Promise<string | undefined>
  close(): Promise<void>
}

/** Unix sockets of the data channels; `disk` only for a block migration. */
export interface ChannelFiles {
  memory: string
  disk?: string | undefined
}

export interface CopySettings {
  /** Bytes a second on the memory channel, and again on the disk's; 0 is no limit. */
  bandwidth: number
  /** The guest is paused for the last round when that round is expected to take no longer. */
  maxDowntimeMs: number
  autoConverge: boolean
  /** It may come to that; both sides must be able to. */
  postCopy: boolean
  /** Connections beside the first on the memory channel, which share the pages; 0 for none. */
  connections: number
}

/** A copy under way on the source. */
export interface Copy {
  /** Resolves when all is at the target and the guest here is paused; rejects when it fails, and leaves the guest as it is. */
  done: Promise<void>
  progress(): CopyProgress
  /** From now on the guest runs on the target and fetches what it lacks. There is no way back. */
  startPostCopy(): void
  /** Ends the copy: `done` rejects with the reason. Has no effect once post-copy has begun. */
  cancel(reason: Error): void
  /** Ends it whatever it has come to: the process that runs it ends. */
  kill(): void
}

/** The target's side of a copy. */
export interface Arrival {
  /** Resolves when all has arrived. */
  complete: Promise<void>
  /** Resolves when the guest may run: with `complete`, or at the start of post-copy. */
  runnable: Promise<void>
}

/** What libvirt's job statistics say; bytes, bytes a second, ms. */
export interface CopyProgress {
  mode: 'PreCopy' | 'PostCopy'
  iteration: number
  /** Memory and disk together. */
  totalBytes: number
  /** What has been sent so far, repeated pages included. */
  processedBytes: number
  remainingBytes: number
  memoryBytesPerSecond: number
  diskBytesPerSecond: number
  /** Of the last whole round. */
  dirtyBytesPerSecond: number
  expectedDowntimeMs: number
  /** When the guest here was paused for good, in ms since the epoch. */
  pausedAt: number | undefined
  /** When post-copy's guest went on at the target. */
  resumedAt: number | undefined
  throttlePercent: number
  postCopyRequests: number
}

/** What surrounds a guest: its launcher. */
export interface GuestHome {
  /** Its own, made by whoever needs it; short, for the names of unix sockets are limited. */
  folder: string
  log: NodeLog
  /** Its state has changed by itself. */
  onChange(): void
  /** It has ended, and nobody has ended it. */
  onCrash(err: Error): void
}

export interface GuestSpec {
  memoryBytes: number
  /** Size of the local disk, which a block migration copies; 0 for none. */
  diskBytes: number
  /** Bytes of memory that the guest writes a second. */
  dirtyRate: number
  /** Guests with the same seed are alike. */
  seed: number
}
