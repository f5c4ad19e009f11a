import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'

/**
 * Whether all that was sent on a TCP connection has arrived at the other host: what is still under way would be lost
 * by a reset. Linux tells in a table; elsewhere the answer is always no.
 */
export async function allArrived({ localPort, remotePort }: Socket): Promise<boolean> {
  if (localPort === undefined || remotePort === undefined) return true
  const tables = await Promise.all(
    ['/proc/self/net/tcp', '/proc/self/net/tcp6'].map((file) =>
      readFile(file, 'utf8').catch(() => ''),
    ),
  )
  const ends = [localPort, remotePort].map((port) =>
    port.toString(16).toUpperCase().padStart(4, '0'),
  )
  const queues = tables
    .flatMap((table) => table.split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local, remote]) => local?.endsWith(`:${ends[0]}`) && remote?.endsWith(`:${ends[1]}`),
    )
    .map(([, , , , queue]) => queue!.split(':')[0])
  return queues.length > 0 && queues.every((queue) => Number(`0x${queue}`) === 0)
}
