import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { LABEL_DISK, LABEL_MEMORY, proxyKey, sourceSocketFile } from '../../kubevirt/ports.ts'
import { type ControlServer, serveControl } from './control.ts'
import type { CopyProgress, Guest, GuestHome, GuestSpec } from './guest/guest.ts'
import type { GuestMaker } from './guest/kinds.ts'
import { incomingMigration } from './incoming-migration.ts'
import type { NodeLog } from './log.ts'
import {
  type MigrationRecord,
  type MigrationRequest,
  type OutgoingMigration,
  startMigration,
} from './outgoing-migration.ts'

export interface LauncherOptions {
  /** The pod's own folder, made and removed here; short, for the names of unix sockets are limited. */
  folder: string
  guests: GuestMaker
  clock: Clock
  log: NodeLog
  /** The guest has gone over to another launcher. */
  onMoved?(): Promise<void>
  /** Something about the domain has changed. */
  onChange(): void
  /** The process has ended. */
  onExit(code: number): void
}

/** What libvirt would say of the one domain that a launcher has. */
interface Domain {
  state: 'none' | Guest['state']
  /** It has ended by itself. */
  crashed: boolean
  /** When a migration to here was complete, in ms since the epoch. */
  arrivedAt: number | undefined
  /** The last migration away from here. */
  outgoing: Readonly<MigrationRecord> | undefined
}

/** A virt-launcher: the process in a launcher pod, with its libvirt and its guest. */
export interface Launcher {
  readonly domain: Domain
  /** `/var/run/kubevirt` of the pod. */
  readonly baseDir: string
  boot(spec: GuestSpec): void
  setDirtyRate(bytesPerSecond: number): void
  /** Sockets for the target's listeners, the control channel's first (fact sheet data-plane.md §1.7). */
  targetFiles(vmiUid: string, block: boolean): string[]
  /** Begins and returns at once. @throws Error when this migration has been tried before */
  migrate(request: Omit<MigrationRequest, 'baseDir'>): void
  /** False when there is nothing to cancel. */
  cancelMigration(uid: string): boolean
  /** The VMI says that the last migration failed. */
  settleMigration(): void
  progress(): CopyProgress | undefined
  /** Resolves when no other launcher is connected any more, at the latest after that many ms. */
  quiet(limitMs: number): Promise<void>
  /** Ends guest and process. */
  exit(code: number): Promise<void>
}

/** Starts a launcher; its libvirt listens when this resolves. */
export async function startLauncher(options: LauncherOptions): Promise<Launcher> {
  const { folder, clock, log, onChange } = options
  const baseDir = join(folder, 'kv')
  const controlFile = join(folder, 'virtqemud-sock')
  let guest: Guest | undefined
  let arrivedAt: number | undefined
  let outgoing: OutgoingMigration | undefined
  let crashed = false
  let exited = false

  const callers = new Set<Promise<void>>()
  const home: GuestHome = {
    folder: join(folder, 'guest'),
    log,
    onChange,
    onCrash(err) {
      log({ level: 'error', subcomponent: 'libvirt', msg: err.message })
      crashed = true
      onChange()
    },
  }

  await mkdir(join(baseDir, 'migrationproxy'), { recursive: true, mode: 0o700 })
  const server: ControlServer = await serveControl(controlFile, () => {
    const gone = Promise.withResolvers<void>()
    callers.add(gone.promise)
    void gone.promise.then(() => callers.delete(gone.promise))
    const { methods, ended } = incomingMigration({
      baseDir,
      log,
      newGuest: (spec) => options.guests.incoming(spec, home),
      onPrepared: (incoming) => {
        guest = incoming
        onChange()
      },
      onRunning: onChange,
      onFinished: () => {
        arrivedAt = clock.now()
        onChange()
      },
      onLost: () => {
        guest = undefined
        onChange()
      },
    })
    return {
      methods,
      ended() {
        ended()
        gone.resolve()
      },
    }
  })

  return {
    baseDir,
    get domain(): Domain {
      return { state: guest?.state ?? 'none', crashed, arrivedAt, outgoing: outgoing?.record }
    },
    boot(spec) {
      if (guest) return
      guest = options.guests.boot(spec, home)
      onChange()
    },
    setDirtyRate: (bytesPerSecond) => guest?.setDirtyRate(bytesPerSecond),
    targetFiles(vmiUid, block) {
      const labels = block ? [LABEL_MEMORY, LABEL_DISK] : [LABEL_MEMORY]
      return [
        controlFile,
        ...labels.map((label) => sourceSocketFile(baseDir, proxyKey(vmiUid, label))),
      ]
    },
    migrate(request) {
      const before = outgoing?.record
      if (before?.uid === request.uid) throw new Error(alreadyExecuted(before))
      if (!guest) throw new Error('the domain does not run here')
      outgoing = startMigration(
        { ...request, baseDir },
        { guest, clock, log, onChange, onMoved: options.onMoved },
      )
    },
    cancelMigration(uid) {
      if (outgoing?.record.uid !== uid || outgoing.record.endedAt !== undefined) return false
      if (outgoing.record.abortStatus === undefined) outgoing.abort()
      return true
    },
    settleMigration: () => outgoing?.settle(),
    progress: () => outgoing?.progress(),
    async quiet(limitMs) {
      const late = new AbortController()
      await Promise.race([Promise.all(callers), clock.sleep(limitMs, late.signal).catch(() => {})])
      late.abort()
    },
    async exit(code) {
      if (exited) return
      exited = true
      outgoing?.kill()
      await server.close()
      await guest?.close()
      await outgoing?.ended
      await rm(folder, { recursive: true, force: true })
      options.onExit(code)
    },
  }
}

function alreadyExecuted({ uid, endedAt, failed, abortStatus }: MigrationRecord): string {
  const at = endedAt === undefined ? '' : new Date(endedAt).toISOString()
  return `migration job ${uid} already executed, finished at ${at}, failed: ${failed ?? false}, abortStatus: ${abortStatus ?? ''}`
}
