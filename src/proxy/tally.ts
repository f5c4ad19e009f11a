import type { ConnectionState } from './connection.ts'

/** What connections have added up to, for one role and label. Counts that only grow, as Prometheus wants them. */
export interface Tally {
  role: ConnectionState['role']
  label: number
  connections: number
  bytesOut: number
  bytesIn: number
  /** By the failure's code. */
  failures: Record<string, number>
}

export interface Tallies {
  /** Adds a connection that is over. */
  add(state: ConnectionState): void
  /** All that is over, and what is open as it is now. */
  with(open: ConnectionState[]): Tally[]
}

export function createTallies(): Tallies {
  const over = new Map<string, Tally>()
  return {
    add: (state) => count(over, state),
    with(open) {
      const all = new Map([...over].map(([key, tally]) => [key, structuredClone(tally)]))
      for (const state of open) count(all, state)
      return [...all.values()]
    },
  }
}

function count(tallies: Map<string, Tally>, state: ConnectionState): void {
  const { role, label, bytesOut, bytesIn, failure } = state
  const key = `${role} ${label}`
  const tally = tallies.get(key) ?? {
    role,
    label,
    connections: 0,
    bytesOut: 0,
    bytesIn: 0,
    failures: {},
  }
  tally.connections++
  tally.bytesOut += bytesOut
  tally.bytesIn += bytesIn
  if (failure) tally.failures[failure.code] = (tally.failures[failure.code] ?? 0) + 1
  tallies.set(key, tally)
}
