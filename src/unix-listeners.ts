import { lstat, readFile } from 'node:fs/promises'
import { basename } from 'node:path'

/** `sun_path` has 108 bytes, the last is a NUL (data-plane.md §1.7). */
export const LONGEST_SOCKET_PATH = 107

/**
 * Whether the kernel's table has a listener behind a socket file. To ask it is harmless, while connecting to another
 * proxy's data channel makes it dial, and QEMU may take the stray connection for a migration's (data-plane.md §1.5).
 * The table shows only our own network namespace: a listener that it has not may live in another.
 */
export async function isListedListener(path: string): Promise<boolean> {
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '')
  const { dev, ino } = await lstat(path)
  for (const line of table.split('\n')) {
    const [, , , flags, , , , ...words] = line.split(/\s+/)
    const bound = words.join(' ')
    if (flags !== LISTENING || basename(bound) !== basename(path)) continue
    const other = await lstat(bound).catch(() => undefined)
    if (other?.dev === dev && other.ino === ino) return true
  }
  return false
}

/** `__SO_ACCEPTCON` in the flags column of /proc/net/unix. */
const LISTENING = '00010000'
