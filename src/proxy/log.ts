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
