/** A line of a component's log: field names and messages are KubeVirt's (fact sheet data-plane.md §8.1). */
export interface NodeRecord {
  level: 'info' | 'warning' | 'error'
  msg: string
  component?: string
  /** UID of the VMI, or the proxy's key, which is the same. */
  uid?: string
  name?: string
  namespace?: string
  reason?: string
  [field: string]: unknown
}

export type NodeLog = (record: NodeRecord) => void
