import { once } from 'node:events'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { startChild } from '../../../child.ts'
import type { NodeLog } from '../../log.ts'
import { monitorClosed } from '../../vir-error.ts'
import { BLOCK_BYTES } from '../block-pool.ts'
import type { GuestSpec } from '../guest.ts'
import { usedContent } from '../workload.ts'
import { bootSector, wholePages } from './boot-sector.ts'
import { openQmp, type Qmp } from './qmp.ts'

export const QEMU = 'qemu-system-x86_64'

/** Block node of the local disk. */
export const DISK_NODE = 'disk'

/** A QEMU with one guest. */
export interface QemuProcess {
  qmp: Qmp
  /** The guest's serial line. */
  serial: Socket
  /** Files of the guest; gone with its folder. */
  files: QemuFiles
  /** Rejects with what QEMU said last, when it ends before it is told to. */
  readonly ended: Promise<never>
  close(): Promise<void>
}

interface QemuFiles {
  /** The local disk, where there is one. */
  disk: string
  /** Memory, while it is looked at. */
  memory: string
}

/**
 * Starts a QEMU in a folder that is made for it: its monitor and its guest's serial line call back at sockets there.
 * With `incoming` it waits for a guest to arrive, which stays paused. @throws VirError when QEMU gives up
 */
export async function startQemu(options: {
  folder: string
  spec: GuestSpec
  incoming: boolean
  log: NodeLog
}): Promise<QemuProcess> {
  const { folder, spec, incoming, log } = options
  const path = (name: string) => join(folder, name)
  const files: QemuFiles = { disk: path(NAME.disk), memory: path(NAME.memory) }
  await mkdir(folder, { mode: 0o700 })
  await writeFile(path(NAME.boot), bootSector(spec), { mode: 0o600 })
  if (spec.diskBytes > 0) await makeDisk(files.disk, spec, incoming)
  const calls = await Promise.all([called(path(NAME.qmp)), called(path(NAME.serial))])
  const child = startChild(QEMU, qemuArguments(spec, incoming), folder, (line) =>
    log({ level: 'info', subcomponent: 'qemu', msg: line }),
  )
  const ended = child.ended.catch((err: Error) => {
    throw monitorClosed(err.message)
  })
  ended.catch(() => {})
  const close = async () => {
    for (const call of calls) call.close()
    await child.close()
  }
  try {
    const [monitor, serial] = await Promise.race([
      Promise.all(calls.map(({ socket }) => socket)),
      ended,
    ])
    if (!monitor || !serial) throw monitorClosed()
    serial.on('error', () => serial.destroy())
    const qmp = await Promise.race([openQmp(monitor), ended])
    return { qmp, serial, files, ended, close }
  } catch (err) {
    await close()
    throw err
  }
}

/** What is in the folder, which may be called what it likes: QEMU works in it. */
const NAME = {
  /** The process's number. */
  pid: 'pid',
  qmp: 'qmp',
  serial: 'serial',
  /** All that the guest has said on its serial line while it was here. */
  console: 'console.log',
  boot: 'boot.raw',
  disk: 'disk.raw',
  memory: 'memory',
} as const

/** No device that the guest doesn't use, and no acceleration that is not everywhere. */
function qemuArguments({ memoryBytes, diskBytes }: GuestSpec, incoming: boolean): string[] {
  const drive = (node: string, file: string, place: string) => [
    ['-blockdev', `driver=raw,node-name=${node},file.driver=file,file.filename=${file}`],
    ['-device', `ide-hd,drive=${node},${place}`],
  ]
  return [
    ['-nodefaults', '-no-user-config', '-display', 'none', '-machine', 'pc,accel=tcg'],
    ['-m', `${wholePages(memoryBytes) / 1024}k`],
    ['-pidfile', NAME.pid],
    ['-chardev', `socket,id=qmp,path=${NAME.qmp}`, '-mon', 'chardev=qmp,mode=control'],
    ['-chardev', `socket,id=serial,path=${NAME.serial},logfile=${NAME.console}`],
    ['-serial', 'chardev:serial'],
    // The guest knows the first disk of the machine; it has nothing to boot from.
    ...(diskBytes > 0 ? drive(DISK_NODE, NAME.disk, 'bus=ide.0,unit=0') : []),
    ...drive('boot', NAME.boot, 'bus=ide.1,unit=0,bootindex=0'),
    incoming ? ['-incoming', 'defer', '-S'] : [],
  ].flat(2)
}

/** The source's disk has been used; the target's is empty, and of the same size. */
async function makeDisk(file: string, spec: GuestSpec, empty: boolean): Promise<void> {
  const disk = await open(file, 'wx', 0o600)
  try {
    await disk.truncate(spec.diskBytes)
    if (empty) return
    const content = usedContent(spec.seed)
    for (let at = 0; at < spec.diskBytes; at += BLOCK_BYTES) {
      const block = Buffer.alloc(BLOCK_BYTES)
      content(at / BLOCK_BYTES, block)
      await disk.write(block.subarray(0, Math.min(BLOCK_BYTES, spec.diskBytes - at)), 0, null, at)
    }
  } finally {
    await disk.close()
  }
}

/** Waits for the one call at a unix socket. */
async function called(file: string): Promise<{ socket: Promise<Socket>; close(): void }> {
  const socket = Promise.withResolvers<Socket>()
  socket.promise.catch(() => {})
  const server = createServer((caller) => {
    socket.resolve(caller)
    server.close()
  })
  server.listen(file)
  await once(server, 'listening')
  return {
    socket: socket.promise,
    close() {
      if (server.listening) server.close()
      socket.reject(monitorClosed())
      socket.promise.then((one) => one.destroy()).catch(() => {})
    },
  }
}
