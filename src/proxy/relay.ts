import type { OpenIntake } from './intake.ts'
import { abort, closed, type Leg, reset, surviveWriteErrors, watchForReset } from './leg.ts'
import { type PumpEnd, pump } from './pump.ts'
import { allArrived } from './send-queue.ts'

export interface RelayOptions {
  openIntake: OpenIntake
  /** ms; see Limits. */
  lingerMs: number
  onFirst(direction: Direction, bytes: Buffer): void
  /** So many more were delivered. */
  onBytes(direction: Direction, count: number): void
  onEnd(direction: Direction, end: PumpEnd): void
}

/** `out`: from the inbound to the outbound leg, as KubeVirt's log has it. */
export type Direction = 'out' | 'in'

/**
 * Moves bytes both ways until each direction has ended. The end of one direction is passed on and leaves the other
 * open (half-close); KubeVirt closes at the first (data-plane.md §1.5). Both legs are closed when it returns.
 */
export async function relay(inbound: Leg, outbound: Leg, options: RelayOptions): Promise<void> {
  surviveWriteErrors(inbound.socket)
  surviveWriteErrors(outbound.socket)
  let open = 2
  const watches: (() => void)[] = []
  const run = async (direction: Direction, from: Leg, to: Leg) => {
    const end = await pump(from, to, {
      openIntake: options.openIntake,
      lingerMs: options.lingerMs,
      onFirst: (bytes) => options.onFirst(direction, bytes),
      onBytes: (count) => options.onBytes(direction, count),
    })
    options.onEnd(direction, end)
    open--
    // Who broke off hears nothing more either.
    if (end.how === 'read-failed') from.socket.destroy()
    if (open > 0 && end.how === 'end' && from.kind !== 'unix') {
      watches.push(watchForReset(from, () => from.socket.destroy()))
    }
    return end
  }
  const [out, back] = await Promise.all([
    run('out', inbound, outbound),
    run('in', outbound, inbound),
  ])
  for (const stop of watches) stop()
  await Promise.all([
    closeLeg(outbound, { sent: out, received: back }, options.lingerMs),
    closeLeg(inbound, { sent: back, received: out }, options.lingerMs),
  ])
}

/** What was sent to a leg and received from it has ended, well or not. */
async function closeLeg(
  leg: Leg,
  { sent, received }: { sent: PumpEnd; received: PumpEnd },
  lingerMs: number,
): Promise<void> {
  if (sent.how !== 'end') return abort(leg)
  if (received.how !== 'write-failed' || leg.kind === 'unix') return void leg.socket.destroy()
  // Its peer goes on sending to a receiver that is gone. A reset is the only way to tell it, but would take back what
  // is still on its way there: first that has to arrive.
  const { socket, raw = socket } = leg
  do await closed(socket, lingerMs)
  while (!socket.destroyed && !socket.readableEnded && !(await allArrived(raw)))
  if (socket.readableEnded) socket.destroy()
  else reset(leg)
}
