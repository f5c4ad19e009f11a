import { once } from 'node:events'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { basename, join } from 'node:path'
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
  /** The process's number. */
  pid: string
  /** All that the guest has said on its serial line while it was here. */
  console: string
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
  const files: QemuFiles = {
    pid: join(folder, 'pid'),
    console: join(folder, 'console.log'),
    disk: join(folder, 'disk.raw'),
    memory: join(folder, 'memory'),
  }
  const boot = join(folder, 'boot.raw')
  await mkdir(folder, { mode: 0o700 })
  await writeFile(boot, bootSector(spec), { mode: 0o600 })
  if (spec.diskBytes > 0) await makeDisk(files.disk, spec, incoming)
  const calls = await Promise.all([called(join(folder, 'qmp')), called(join(folder, 'serial'))])
  const child = startChild(
    QEMU,
    [
      ...MACHINE,
      ['-m', `${wholePages(spec.memoryBytes) / 1024}k`],
      // All names are of the working directory, which may be called what it likes.
      ['-pidfile', basename(files.pid)],
      ['-chardev', 'socket,id=qmp,path=qmp'],
      ['-mon', 'chardev=qmp,mode=control'],
      ['-chardev', `socket,id=serial,path=serial,logfile=${basename(files.console)}`],
      ['-serial', 'chardev:serial'],
      ['-blockdev', `driver=raw,node-name=boot,file.driver=file,file.filename=${basename(boot)}`],
      // The disk comes first in the machine, so the guest finds it; it has nothing to boot from.
      ['-device', 'ide-hd,drive=boot,bus=ide.1,unit=0,bootindex=0'],
      ...(spec.diskBytes > 0
        ? [
            [
              '-blockdev',
              `driver=raw,node-name=${DISK_NODE},file.driver=file,file.filename=${basename(files.disk)}`,
            ],
            ['-device', `ide-hd,drive=${DISK_NODE},bus=ide.0,unit=0`],
          ]
        : []),
      ...(incoming ? [['-incoming', 'defer'], ['-S']] : []),
    ].flat(),
    folder,
    (line) => log({ level: 'info', subcomponent: 'qemu', msg: line }),
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

/** No device that the guest doesn't use, and no acceleration that is not everywhere. */
const MACHINE = [
  ['-nodefaults', '-no-user-config'],
  ['-display', 'none'],
  ['-machine', 'pc,accel=tcg'],
]

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
