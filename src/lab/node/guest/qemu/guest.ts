import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import type { Clock } from '../../../../clock.ts'
import type {
  Arrival,
  ChannelFiles,
  Copy,
  CopySettings,
  Guest,
  GuestHome,
  GuestSpec,
} from '../guest.ts'
import { checkMemory, type GuestCounts, rateOrder, wholePages } from './boot-sector.ts'
import { receiveQemu } from './incoming.ts'
import { startQemuCopy } from './outgoing.ts'
import { type QemuProcess, startQemu } from './process.ts'

/** A real QEMU with a guest of our own, driven over QMP as libvirt does it. */
export class QemuGuest implements Guest {
  readonly #spec: GuestSpec
  readonly #home: GuestHome
  readonly #clock: Clock
  readonly #starting: Promise<QemuProcess>
  #state: Guest['state']
  #rate: number
  /** It has been heard, so it listens. */
  #listens = false
  #servesDisk = false
  /** The guest runs on before all has arrived: then there is no moment at which both sides are alike. */
  #postCopied = false
  #arrived = false
  #closing: Promise<void> | undefined

  constructor(spec: GuestSpec, home: GuestHome, clock: Clock, incoming: boolean) {
    this.#spec = spec
    this.#home = home
    this.#clock = clock
    this.#state = incoming ? 'incoming' : 'starting'
    this.#rate = spec.dirtyRate
    this.#starting = startQemu({ folder: home.folder, log: home.log, spec, incoming })
    this.#starting.then(
      (process) => this.#attach(process),
      (err: Error) => this.#lose(err),
    )
  }

  get state(): Guest['state'] {
    return this.#state
  }

  async pause(): Promise<void> {
    if (this.#state === 'running') await this.#execute('stop')
  }

  async resume(): Promise<void> {
    if (this.#state === 'ended') return
    if (this.#servesDisk) {
      this.#servesDisk = false
      await this.#execute('nbd-server-stop')
    }
    await this.#execute('cont')
  }

  setDirtyRate(bytesPerSecond: number): void {
    if (bytesPerSecond === this.#rate) return
    this.#rate = bytesPerSecond
    if (this.#listens) this.#tellRate()
  }

  copyTo(files: ChannelFiles, settings: CopySettings): Copy {
    // How it came here is past.
    this.#postCopied = false
    this.#arrived = false
    return startQemuCopy(this.#starting, files, settings, this.#clock)
  }

  async listen(files: ChannelFiles, settings: CopySettings): Promise<Arrival> {
    const process = await this.#starting
    this.#servesDisk = files.disk !== undefined
    const arrival = await receiveQemu(process, files, settings)
    arrival.complete.then(
      () => {
        this.#arrived = true
      },
      () => {},
    )
    return arrival
  }

  /** After post-copy there is nothing to compare, but the target's guest must have all that it has ever written. */
  async checksum(): Promise<string | undefined> {
    if (this.#postCopied) {
      if (this.#arrived) await this.check()
      return undefined
    }
    const { files } = await this.#starting
    const memory = await this.#withMemory(digest)
    return this.#spec.diskBytes > 0 ? `${memory} ${await digest(files.disk)}` : memory
  }

  /** Looks whether the memory is whole. @throws Error what is wrong with it */
  async check(): Promise<GuestCounts> {
    return this.#withMemory(async (file) => checkMemory(await readFile(file)))
  }

  /** Memory as it is at one moment: a guest that runs is held up for it. */
  async #withMemory<T>(read: (file: string) => Promise<T>): Promise<T> {
    const { qmp, files } = await this.#starting
    const runs = this.#state === 'running'
    if (runs) await qmp.execute('stop')
    const size = wholePages(this.#spec.memoryBytes)
    await qmp.execute('pmemsave', { val: 0, size, filename: files.memory })
    if (runs) await qmp.execute('cont')
    const result = await read(files.memory)
    await rm(files.memory, { force: true })
    return result
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#state = 'ended'
    const process = await this.#starting.catch(() => undefined)
    await process?.close()
    await rm(this.#home.folder, { recursive: true, force: true })
  }

  #attach({ qmp, serial, ended }: QemuProcess): void {
    ended.catch((err: Error) => this.#lose(err))
    serial.on('data', () => {
      if (this.#listens) return
      this.#listens = true
      if (this.#rate !== this.#spec.dirtyRate) this.#tellRate()
    })
    qmp.on(({ event, data }) => {
      if (event === 'MIGRATION' && data['status'] === 'postcopy-active') this.#postCopied = true
      if (event === 'RESUME') this.#become('running')
      else if (event === 'STOP' && this.#state === 'running') this.#become('paused')
    })
    if (this.#state === 'starting') this.#become('running')
  }

  #become(state: Guest['state']): void {
    if (this.#state === 'ended') return
    this.#state = state
    this.#home.onChange()
  }

  /** The process has ended, and nobody has asked it to. */
  #lose(err: Error): void {
    if (this.#closing) return
    const wasIncoming = this.#state === 'incoming'
    this.#state = 'ended'
    if (!wasIncoming) this.#home.onCrash(err)
  }

  #tellRate(): void {
    void this.#starting.then(({ serial }) => serial.write(rateOrder(this.#rate))).catch(() => {})
  }

  async #execute(command: string): Promise<void> {
    const { qmp } = await this.#starting
    await qmp.execute(command)
  }
}

/** SHA-256 of a file, in hexadecimal. */
async function digest(file: string): Promise<string> {
  const whole = createHash('sha256')
  for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 20 })) whole.update(chunk)
  return whole.digest('hex')
}
