import { writeSync } from 'node:fs'
import type { Socket } from 'node:net'

/** Whether {@link tryWrite} can write to a socket: not on Windows, whose node tells no descriptor. */
export function canTryWrite(socket: Socket): boolean {
  return descriptorOf(socket) >= 0
}

/**
 * Writes what the kernel takes at once. Node's own writes keep the memory until they are done; after this it is free.
 * Not for TLS, whose bytes would go out unencrypted.
 * @returns how many bytes were taken; none while an earlier write waits
 * @throws what the kernel says of a broken connection, and says once; worded as by node's sockets
 */
export function tryWrite(socket: Socket, bytes: Buffer): number {
  if (socket.destroyed || socket.writableLength > 0) return 0
  try {
    return writeSync(descriptorOf(socket), bytes)
  } catch (err) {
    const { code } = err as NodeJS.ErrnoException
    if (code === 'EAGAIN') return 0
    throw Object.assign(new Error(`write ${code}`), { code })
  }
}

function descriptorOf(socket: Socket): number {
  return (socket as { _handle?: { fd?: number } })._handle?.fd ?? -1
}
