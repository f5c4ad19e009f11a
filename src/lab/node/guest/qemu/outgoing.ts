import type { Clock } from '../../../../clock.ts'
import { copyFailed, diskCopyFailed } from '../../vir-error.ts'
import type { ChannelFiles, Copy, CopyProgress, CopySettings } from '../guest.ts'
import { Meter } from '../rate-limit.ts'
import { configure } from './capabilities.ts'
import { DISK_EXPORT } from './incoming.ts'
import { DISK_NODE, type QemuProcess } from './process.ts'
import type { Qmp, QmpEvent } from './qmp.ts'

/** QEMU is asked so often how far it is, ms. */
const POLL_MS = 100
/** A migration that is cancelled ends at once, unless it hangs, ms. */
const CANCEL_MS = 2000
const MIRROR = 'mirror'
/** The disk's name in the domain. */
const DISK = 'hda'

/**
 * The source's side of a copy, as libvirt has QEMU do it: the disk is mirrored until it is in step, then the memory is
 * migrated; before the switch-over, with the guest at rest, the mirror is closed.
 */
export function startQemuCopy(
  starting: Promise<QemuProcess>,
  files: ChannelFiles,
  settings: CopySettings,
  clock: Clock,
): Copy {
  const copy = new QemuCopy(files, settings, clock)
  return {
    done: starting.then((process) => copy.run(process)),
    progress: () => copy.progress(),
    startPostCopy: () => copy.startPostCopy(),
    cancel: (reason) => copy.cancel(reason),
    kill: () => copy.kill(),
  }
}

class QemuCopy {
  readonly #files: ChannelFiles
  readonly #settings: CopySettings
  readonly #clock: Clock
  readonly #diskMeter: Meter
  readonly #stop = new AbortController()
  readonly #over = new AbortController()
  /** Resolves when QEMU says that the migration is complete, rejects with what ends it otherwise. */
  readonly #migration = Promise.withResolvers<void>()
  readonly #mirrorReady = Promise.withResolvers<void>()
  readonly #mirrorClosed = Promise.withResolvers<void>()
  #qmp: Qmp | undefined
  #figures: Figures = {}
  #disk = { len: 0, offset: 0 }
  #mirrors = false
  #migrates = false
  #postCopy = false
  #pausedAt: number | undefined
  #throttle = 0

  constructor(files: ChannelFiles, settings: CopySettings, clock: Clock) {
    this.#files = files
    this.#settings = settings
    this.#clock = clock
    this.#diskMeter = new Meter(clock)
    // Whoever waits gets the reason; nobody has to.
    for (const { promise } of [this.#migration, this.#mirrorReady, this.#mirrorClosed])
      promise.catch(() => {})
  }

  async run({ qmp }: QemuProcess): Promise<void> {
    const { memory, disk } = this.#files
    const { signal } = this.#stop
    signal.throwIfAborted()
    this.#qmp = qmp
    const forget = qmp.on((event) => this.#hear(event))
    void this.#poll(this.#over.signal)
    try {
      await configure(qmp, 'source', this.#settings, disk !== undefined)
      signal.throwIfAborted()
      if (disk !== undefined) await this.#mirror(qmp, disk)
      signal.throwIfAborted()
      this.#migrates = true
      await qmp.execute('migrate', { uri: `unix:${memory}` })
      await Promise.race([this.#migration.promise, qmp.gone])
    } catch (err) {
      await this.#closeMirror(qmp, true).catch(() => {})
      throw signal.aborted ? signal.reason : err
    } finally {
      this.#over.abort()
      await this.#look(qmp).catch(() => {})
      forget()
    }
  }

  startPostCopy(): void {
    this.#qmp?.execute('migrate-start-postcopy').catch(() => {})
  }

  cancel(reason: Error): void {
    if (this.#postCopy || this.#stop.signal.aborted) return
    this.#stop.abort(reason)
    this.#mirrorReady.reject(reason)
    this.#cancelMigration().catch(() => {})
  }

  /**
   * QEMU (seen with 7.2) waits for ever for a thread that writes to one of several connections and finds no room, now and
   * then in its main thread, which then does not answer this either. Nothing but the end of those connections brings it
   * back.
   */
  async #cancelMigration(): Promise<void> {
    if (!this.#migrates) return
    this.#qmp?.execute('migrate_cancel').catch(() => {})
    await this.#clock.sleep(CANCEL_MS, this.#over.signal)
    await this.#qmp?.executeNow('yank', { instances: [{ type: 'migration' }] })
  }

  /** The process that does it is about to end. */
  kill(): void {
    const reason = new Error('the process has ended')
    this.#stop.abort(reason)
    this.#migration.reject(reason)
    this.#mirrorReady.reject(reason)
    this.#mirrorClosed.reject(reason)
  }

  #hear({ event, data, at }: QmpEvent): void {
    if (event === 'STOP') this.#pausedAt ??= at
    else if (event === 'RESUME') this.#pausedAt = undefined
    else if (event === 'MIGRATION') this.#follow(data['status'] as string)
    else if (data['device'] === MIRROR) this.#followMirror(event, data['error'])
  }

  #follow(status: string): void {
    switch (status) {
      case 'pre-switchover':
        this.#switchOver().catch((err: Error) => this.#migration.reject(err))
        break
      case 'postcopy-active':
        this.#postCopy = true
        break
      case 'completed':
        this.#migration.resolve()
        break
      case 'failed':
      case 'cancelled':
      case 'postcopy-paused':
        this.#fail(status).catch((err: Error) => this.#migration.reject(err))
    }
  }

  /** Only QEMU's figures say why. */
  async #fail(status: string): Promise<never> {
    if (this.#qmp) await this.#look(this.#qmp)
    throw copyFailed(new Error(this.#figures['error-desc'] ?? `QEMU says no more than "${status}"`))
  }

  #followMirror(event: string, error: unknown): void {
    if (event === 'BLOCK_JOB_READY') this.#mirrorReady.resolve()
    if (event !== 'BLOCK_JOB_COMPLETED' && event !== 'BLOCK_JOB_CANCELLED') return
    this.#mirrors = false
    this.#mirrorClosed.resolve()
    const failure = diskCopyFailed(DISK, typeof error === 'string' ? error : 'the job has ended')
    this.#mirrorReady.reject(failure)
    if (error === undefined) return
    // The memory is not worth anything without the disk.
    this.#migration.reject(failure)
    this.#cancelMigration().catch(() => {})
  }

  async #mirror(qmp: Qmp, file: string): Promise<void> {
    await qmp.execute('blockdev-add', {
      'node-name': MIRROR,
      driver: 'nbd',
      server: { type: 'unix', path: file },
      export: DISK_EXPORT,
    })
    // What becomes of it may be told before the command has its answer.
    this.#mirrors = true
    const job = {
      'job-id': MIRROR,
      device: DISK_NODE,
      target: MIRROR,
      sync: 'full',
      speed: this.#settings.bandwidth,
    }
    await qmp.execute('blockdev-mirror', job).catch((err: Error) => {
      this.#mirrors = false
      throw err
    })
    await Promise.race([this.#mirrorReady.promise, qmp.gone])
  }

  async #switchOver(): Promise<void> {
    const qmp = this.#qmp
    if (!qmp) return
    await this.#closeMirror(qmp, false)
    await qmp.execute('migrate-continue', { state: 'pre-switchover' })
  }

  /** @param broken whatever has been written may stay where it is */
  async #closeMirror(qmp: Qmp, broken: boolean): Promise<void> {
    if (this.#files.disk === undefined) return
    if (this.#mirrors) {
      await qmp.execute('block-job-cancel', { device: MIRROR, force: broken })
      await Promise.race([this.#mirrorClosed.promise, qmp.gone])
    }
    await qmp.execute('blockdev-del', { 'node-name': MIRROR })
  }

  async #poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#qmp) await this.#look(this.#qmp).catch(() => {})
      await this.#clock.sleep(POLL_MS, signal).catch(() => {})
    }
  }

  async #look(qmp: Qmp): Promise<void> {
    const [figures, jobs] = await Promise.all([
      qmp.execute<Figures>('query-migrate'),
      qmp.execute<BlockJob[]>('query-block-jobs'),
    ])
    // Before it has begun they are those of an earlier one, or none.
    if (this.#migrates) {
      this.#figures = figures
      // Forgotten by QEMU as soon as it is over.
      this.#throttle = figures['cpu-throttle-percentage'] ?? this.#throttle
    }
    const job = jobs.find(({ device }) => device === MIRROR)
    if (!job) return
    this.#diskMeter.add(Math.max(job.offset - this.#disk.offset, 0))
    this.#disk = job
  }

  progress(): CopyProgress {
    const { ram, downtime } = this.#figures
    const disk = this.#disk
    const isOver = this.#figures.status === 'completed'
    return {
      mode: this.#postCopy ? 'PostCopy' : 'PreCopy',
      iteration: ram?.['dirty-sync-count'] ?? 0,
      totalBytes: (ram?.total ?? 0) + disk.len,
      processedBytes: (ram?.transferred ?? 0) + disk.offset,
      remainingBytes: (ram?.remaining ?? 0) + (isOver ? 0 : disk.len - disk.offset),
      memoryBytesPerSecond: ((ram?.mbps ?? 0) * 1e6) / 8,
      diskBytesPerSecond: this.#diskMeter.rate(),
      dirtyBytesPerSecond: (ram?.['dirty-pages-rate'] ?? 0) * (ram?.['page-size'] ?? 0),
      expectedDowntimeMs: this.#figures['expected-downtime'] ?? 0,
      pausedAt: this.#pausedAt,
      resumedAt:
        this.#postCopy && this.#pausedAt !== undefined && downtime !== undefined
          ? this.#pausedAt + downtime
          : undefined,
      throttlePercent: this.#throttle,
      postCopyRequests: ram?.['postcopy-requests'] ?? 0,
    }
  }
}

/** What `query-migrate` answers, as far as it is read here; bytes, ms, megabits a second. */
interface Figures {
  status?: string
  'error-desc'?: string
  downtime?: number
  'expected-downtime'?: number
  'cpu-throttle-percentage'?: number
  ram?: {
    total: number
    transferred: number
    remaining: number
    mbps: number
    'page-size': number
    'dirty-sync-count': number
    'dirty-pages-rate': number
    'postcopy-requests': number
  }
}

interface BlockJob {
  device: string
  len: number
  offset: number
}
