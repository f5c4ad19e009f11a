import type { Clock } from '../../clock.ts'
import { LABEL_DISK, LABEL_MEMORY, proxyKey, sourceSocketFile } from '../../kubevirt/ports.ts'
import {
  type CopyLimits,
  type CopyWatch,
  convergenceStep,
  MONITOR_INTERVAL_MS,
  startWatching,
  watched,
} from '../../rules/convergence.ts'
import { type Control, connectControl } from './control.ts'
import type { Copy, CopyProgress, CopySettings, Guest, GuestSpec } from './guest/guest.ts'
import type { NodeLog } from './log.ts'
import { LOOKS_A_LINE, migrationInfo } from './migration-info.ts'
import { copyCancelled, copyFailed, VirError } from './vir-error.ts'

/** KubeVirt's word for every copy that was stopped, whoever stopped it (since 1.9; fact sheet data-plane.md §4.5). */
const ABORTED = 'Live migration has been aborted'

export interface MigrationRequest {
  /** Of the VirtualMachineInstanceMigration. */
  uid: string
  vmiUid: string
  /** Where the proxy's sockets are: `<baseDir>/migrationproxy/…`. */
  baseDir: string
  block: boolean
  spec: GuestSpec
  settings: CopySettings
  limits: CopyLimits
}

/** What the source's launcher knows of a migration; virt-handler copies it into the VMI. Times in ms since the epoch. */
export interface MigrationRecord {
  uid: string
  startedAt: number
  mode: CopyWatch['mode']
  endedAt?: number
  failed?: boolean
  failureReason?: string
  abortStatus?: 'Aborting' | 'Succeeded' | 'Failed'
  /** The guest was lost on the way: post-copy had begun. */
  irrecoverable?: boolean
  /** The target was told to run the guest, but its answer was lost: the VMI decides who has it. */
  inDoubt?: boolean
  /** Whether the target has compared the checksums and found them equal; absent when the guest has none. */
  verified?: boolean
  downtimeMs?: number
  lastProgress?: CopyProgress
}

export interface OutgoingMigration {
  readonly record: Readonly<MigrationRecord>
  progress(): CopyProgress | undefined
  /** As virDomainAbortJob: the copy ends as aborted, unless post-copy has begun. */
  abort(): void
  /** Ends it whatever it has come to: the launcher ends. */
  kill(): void
  /** The VMI says that it failed: the guest, held back for the doubt, goes on here. */
  settle(): void
  /** Resolves when the migration has ended, well or not. */
  ended: Promise<void>
}

export interface MigrationSurroundings {
  guest: Guest
  clock: Clock
  log: NodeLog
  /** The target runs the guest. */
  onMoved?: (() => Promise<void>) | undefined
  /** The record has changed. */
  onChange(): void
}

/**
 * The source's side of libvirt's peer-to-peer migration: prepare (the target listens), perform (the copy), finish (the
 * target compares and runs), confirm (the guest here ends). On any failure before that the guest here goes on.
 */
export function startMigration(
  request: MigrationRequest,
  { guest, clock, log, onMoved, onChange }: MigrationSurroundings,
): OutgoingMigration {
  const record: MigrationRecord = { uid: request.uid, startedAt: clock.now(), mode: 'PreCopy' }
  const stop = new AbortController()
  let control: Control | undefined
  let copy: Copy | undefined
  /** Once the target has been told to run the guest, nothing here may take it back. */
  let finishing = false
  log({ level: 'info', msg: 'Initiating live migration.', uid: request.vmiUid })

  const ended = perform()
    .then(
      () => {
        log({ level: 'info', msg: 'Live migration succeeded.', uid: request.vmiUid })
      },
      (err: unknown) => fail(err),
    )
    .finally(() => {
      record.endedAt = clock.now()
      if (copy) record.lastProgress = copy.progress()
      stop.abort()
      control?.close()
      onChange()
    })

  async function perform(): Promise<void> {
    const file = (label: number) =>
      sourceSocketFile(request.baseDir, proxyKey(request.vmiUid, label))
    control = await connectControl(file(0), clock)
    stop.signal.throwIfAborted()
    await control.call('prepare', {
      vmiUid: request.vmiUid,
      block: request.block,
      spec: request.spec,
      settings: request.settings,
    })
    stop.signal.throwIfAborted()
    const files = {
      memory: file(LABEL_MEMORY),
      disk: request.block ? file(LABEL_DISK) : undefined,
    }
    copy = guest.copyTo(files, request.settings)
    // Without the target's libvirt there is no way to end well.
    const { lost } = control
    lost.addEventListener('abort', () => copy?.cancel(lost.reason), { once: true })
    void watch(copy)
    await copy.done.catch((err: unknown) => {
      throw err instanceof VirError ? err : copyFailed(err as NodeJS.ErrnoException)
    })
    const checksum = await guest.checksum()
    stop.signal.throwIfAborted()
    finishing = true
    await control.call('finish', { checksum })
    await onMoved?.()
    const { pausedAt, resumedAt } = copy.progress()
    if (pausedAt !== undefined) record.downtimeMs = (resumedAt ?? clock.now()) - pausedAt
    if (checksum !== undefined) record.verified = true
    record.lastProgress = copy.progress()
    // All that can be said of the copy is known before the target declares it complete. Should this not reach the target,
    // the end of the connection tells it the same.
    await control.call('confirm', {}).catch(() => {})
    await guest.close()
  }

  async function watch(current: Copy): Promise<void> {
    let state = startWatching(record.startedAt)
    for (let look = 1; !stop.signal.aborted; look++) {
      await clock.sleep(MONITOR_INTERVAL_MS, stop.signal).catch(() => {})
      if (stop.signal.aborted) return
      const progress = current.progress()
      state = { ...watched(state, progress.remainingBytes, clock.now()), mode: record.mode }
      if (look % LOOKS_A_LINE === 0) {
        const msg = migrationInfo(request.uid, progress, clock.now() - record.startedAt)
        log({ level: 'info', msg, uid: request.vmiUid })
      }
      act(current, convergenceStep(state, request.limits, clock.now()))
    }
  }

  function act(current: Copy, decision: ReturnType<typeof convergenceStep>): void {
    switch (decision.step) {
      case 'none':
        return
      case 'post-copy':
        log({ level: 'info', msg: 'Starting post copy mode for migration', uid: request.vmiUid })
        current.startPostCopy()
        record.mode = 'PostCopy'
        break
      case 'pause':
        log({
          level: 'info',
          msg: 'Pausing the guest to allow migration to complete',
          uid: request.vmiUid,
        })
        guest.pause().catch(() => {})
        record.mode = 'Paused'
        break
      case 'abort': {
        const what = decision.reason === 'stuck' ? 'stuck for' : 'not completed after'
        const msg = `Aborting migration: ${what} ${decision.afterSeconds} seconds`
        log({ level: 'error', msg, uid: request.vmiUid })
        abort()
      }
    }
    onChange()
  }

  function abort(): void {
    if (finishing || inPostCopy()) {
      record.abortStatus = 'Failed'
    } else {
      record.abortStatus = 'Aborting'
      stop.abort(copyCancelled())
      copy?.cancel(copyCancelled())
      // A call under way is not waited for.
      control?.close()
    }
    onChange()
  }

  function kill(): void {
    stop.abort(copyCancelled())
    copy?.kill()
    control?.close()
  }

  function settle(): void {
    if (!record.inDoubt) return
    record.inDoubt = false
    // After post-copy the guest here is an old one.
    if (!inPostCopy()) guest.resume().catch(() => {})
  }

  function inPostCopy(): boolean {
    return copy?.progress().mode === 'PostCopy'
  }

  async function fail(err: unknown): Promise<void> {
    record.failed = true
    const wasAborted = record.abortStatus === 'Aborting'
    if (wasAborted) record.abortStatus = 'Succeeded'
    record.failureReason = wasAborted ? ABORTED : String(err)
    if (finishing && err instanceof VirError && err.isLostConnection) record.inDoubt = true
    else if (inPostCopy()) record.irrecoverable = true
    // One that has crashed stays where it is.
    else await guest.resume().catch(() => {})
    log({ level: 'error', msg: 'Live migration failed.', uid: request.vmiUid, reason: String(err) })
  }

  return { record, progress: () => copy?.progress(), abort, kill, settle, ended }
}
