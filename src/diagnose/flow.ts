import type { Counted, Probed } from '../evidence/probes.ts'
import { progressOf, retransmissions, rowText, type SocketRow } from '../probe/socket-table.ts'

/**
 * What moved between two looks at the connections of a channel. One on which nothing moves is only idle, as long as
 * nothing waits to be sent and nothing is sent again (fact sheet data-plane.md §7.6).
 */
export type Flow = {
  /** What arrived in either direction, bytes. */
  bytes: number
  /** Segments that were sent again. */
  resent: number
  /** ms */
  apart: number
  /** The connection that tells most, as it was seen. */
  seen: string
} & (
  | { kind: 'flowing' | 'idle' }
  /** `network`: what was sent is not acknowledged; `target`: it arrived, and nobody reads it there. */
  | { kind: 'stalled'; by: 'network' | 'target' }
)

/** Undefined without connections, or where their counters are not known. */
export function flowOf(
  at: { address: string; port: number },
  source: Probed<Counted> | undefined,
  target: Probed<Counted> | undefined,
): Flow | undefined {
  if (source?.state !== 'read') return undefined
  const { before, after, apart } = source.value
  const pairs = pairsOf(before, after).filter(
    ({ now: { peer } }) => peer.port === at.port && peer.address === at.address,
  )
  const progress = pairs.map(({ was, now }) => difference(progressOf(now), progressOf(was)))
  if (pairs.length === 0 || progress.some((bytes) => bytes === undefined)) return undefined
  const bytes = sum(progress.map((one) => one ?? 0))
  const resent = sum(pairs.map(({ was, now }) => retransmissions(now) - retransmissions(was)))
  const waiting = pairs.filter(({ was, now }) => was.sendQ > 0 && now.sendQ > 0)
  const unread = target?.state === 'read' ? unreadAt(at.port, target.value) : []
  const common = { bytes, resent, apart }
  const seen = (row: SocketRow | undefined) => rowText(row ?? pairs[0]!.now)
  // What arrives in buffers flows no further.
  if (unread.length > 0) return { ...common, kind: 'stalled', by: 'target', seen: seen(unread[0]) }
  if (bytes > 0) return { ...common, kind: 'flowing', seen: seen(undefined) }
  if (waiting.length > 0 || resent > 0)
    return { ...common, kind: 'stalled', by: 'network', seen: seen(waiting[0]?.now) }
  return { ...common, kind: 'idle', seen: seen(undefined) }
}

interface Pair {
  was: SocketRow
  now: SocketRow
}

/** The same connection at both moments; one that is new has nothing behind it. */
function pairsOf(before: SocketRow[], after: SocketRow[]): Pair[] {
  const key = ({ local, peer }: SocketRow) =>
    `${local.address} ${local.port} ${peer.address} ${peer.port}`
  const known = new Map(before.map((row) => [key(row), row]))
  return after.map((now) => ({ now, was: known.get(key(now)) ?? { ...now, sendQ: 0, info: {} } }))
}

/** Connections at the target's port of which nothing was read, though all the time there was something to read. */
function unreadAt(port: number, { before, after }: Counted): SocketRow[] {
  return pairsOf(before, after).flatMap(({ was, now }) => {
    const arrived =
      Number(now.info?.['bytes_received'] ?? 0) - Number(was.info?.['bytes_received'] ?? 0)
    const isUnread = was.recvQ > 0 && now.recvQ > 0 && arrived <= now.recvQ - was.recvQ
    return now.local.port === port && isUnread ? [now] : []
  })
}

function difference(now: number | undefined, was: number | undefined): number | undefined {
  return now === undefined ? undefined : now - (was ?? 0)
}

function sum(numbers: number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}
