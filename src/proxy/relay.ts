import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { type PumpEnd, pump } from './pump.ts'

export interface RelayOptions {
  /** ms; see Limits. */
  lingerMs: number
  onBytes(direction: Direction, count: number): void
  onEnd(direction: Direction, end: PumpEnd): void
}

/** `out`: from the inbound to the outbound leg, as KubeVirt's log has it. */
export type Direction = 'out' | 'in'

/**
 * Moves bytes both ways until each direction has ended. The end of one direction is passed on and leaves the other
 * open (half-close); KubeVirt closes at the first (data-plane.md §1.5). Both legs are closed when it returns.
 */
export async function relay(
  inbound: Socket,
  outbound: Socket,
  options: RelayOptions,
): Promise<void> {
  let linger: NodeJS.Timeout | undefined
  let failed = false
  const run = async (direction: Direction, from: Socket, to: Socket) => {
    const end = await pump(from, to, (count) => options.onBytes(direction, count))
    options.onEnd(direction, end)
    if (end.how === 'end') return
    failed = true
    linger ??= setTimeout(() => abortBoth(inbound, outbound), options.lingerMs)
  }
  await Promise.all([run('out', inbound, outbound), run('in', outbound, inbound)])
  clearTimeout(linger)
  if (failed) abortBoth(inbound, outbound)
  inbound.destroy()
  outbound.destroy()
}

function abortBoth(inbound: Socket, outbound: Socket): void {
  abort(inbound)
  abort(outbound)
}

/**
 * Ends a leg so that its peer can't take what it got for all there was: a reset on plain TCP, no closing alert on TLS.
 * A unix socket has no such thing; its peer sees the end of the stream.
 */
export function abort(socket: Socket): void {
  const isTcp = socket.remoteFamily !== undefined && !(socket instanceof TLSSocket)
  if (isTcp && !socket.destroyed && !socket.connecting) socket.resetAndDestroy()
  else socket.destroy()
}
