import type { Clock } from '../clock.ts'

/**
 * A line of the proxy's log: field names and messages are KubeVirt's (data-plane.md §1.6), so that what reads one
 * reads the other. `code` is ours: what kind of failure `reason` tells of.
 */
export interface ProxyRecord {
  level: 'info' | 'warning' | 'error'
  msg: string
  /** The key, the VMI's UID in KubeVirt. */
  uid?: string
  /** Target: `address:port`. Source: base name of the unix socket. */
  listening?: string
  /** Target: base name of the unix socket. Source: `address:port`. */
  outbound?: string
  reason?: string
  code?: string
}

export type ProxyLog = (record: ProxyRecord) => void

/** Writes records as KubeVirt's components do: one JSON object a line, keys in alphabetical order (data-plane.md §8.1). */
export function jsonLog(out: { write(text: string): unknown }, clock: Clock): ProxyLog {
  return (record) => {
    const timestamp = new Date(clock.now()).toISOString().replace('Z', '000Z')
    const line = { component: 'kubectl-mig', ...record, timestamp }
    out.write(`${JSON.stringify(line, Object.keys(line).sort())}\n`)
  }
}
