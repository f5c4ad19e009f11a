import { LABEL_DISK, LABEL_MEMORY, proxyKey, sourceSocketFile } from '../../kubevirt/ports.ts'
import type { ControlMethods } from './control.ts'
import type { CopySettings, Guest, GuestSpec } from './guest/guest.ts'
import type { NodeLog } from './log.ts'
import { checksumMismatch, copyFailed } from './vir-error.ts'

export interface IncomingSurroundings {
  baseDir: string
  log: NodeLog
  newGuest(spec: GuestSpec): Guest
  /** A guest is being received. */
  onPrepared(guest: Guest): void
  /** The guest runs here. */
  onRunning(): void
  /** All is here and equal: the guest stays. */
  onFinished(): void
  /** It did not come to that: there is no guest. */
  onLost(): void
}

interface PrepareParams {
  vmiUid: string
  block: boolean
  spec: GuestSpec
  settings: CopySettings
}

/** The target's side of libvirt's peer-to-peer migration, for one control connection. */
export function incomingMigration(surroundings: IncomingSurroundings): {
  methods: ControlMethods
  ended(): void
} {
  const { log } = surroundings
  let guest: Guest | undefined
  let checksum: Promise<string | undefined> | undefined
  let finished = false
  let confirmed = false

  /** The source knows that the guest runs here, or is gone: both leave the guest to this side. */
  function confirm(): void {
    if (!finished || confirmed) return
    confirmed = true
    surroundings.onFinished()
  }

  async function drop(): Promise<void> {
    const gone = guest
    guest = undefined
    if (!gone || finished) return
    await gone.close()
    surroundings.onLost()
  }

  const methods: ControlMethods = {
    async prepare({ vmiUid, block, spec, settings }: PrepareParams) {
      const file = (label: number) =>
        sourceSocketFile(surroundings.baseDir, proxyKey(vmiUid, label))
      const files = {
        memory: file(LABEL_MEMORY),
        disk: block ? file(LABEL_DISK) : undefined,
      }
      guest = surroundings.newGuest(spec)
      surroundings.onPrepared(guest)
      const arrival = await guest.listen(files, settings)
      arrival.runnable.then(
        () => guest?.state === 'running' && surroundings.onRunning(),
        () => {},
      )
      const { complete } = arrival
      complete.catch((err: Error) => {
        if (guest) log({ level: 'error', subcomponent: 'libvirt', msg: err.message, uid: vmiUid })
        return drop()
      })
      // The source works out its own meanwhile.
      checksum = complete.then(() => guest?.checksum())
      checksum.catch(() => {})
    },
    async finish({ checksum: wanted }: { checksum?: string }) {
      const own = await checksum?.catch((err: unknown) => {
        throw copyFailed(err as NodeJS.ErrnoException)
      })
      // The source may have gone meanwhile: then nothing may run here.
      if (!guest) throw copyFailed(new Error('the guest is gone'))
      if (own !== wanted) {
        await drop()
        throw checksumMismatch()
      }
      finished = true
      await guest.resume()
      surroundings.onRunning()
    },
    confirm: async () => confirm(),
  }
  return {
    methods,
    ended() {
      confirm()
      void drop()
    },
  }
}
