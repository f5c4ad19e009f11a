import type { GuestKind } from '../node/guest/kinds.ts'

/** `lab.json` of a lab's folder: which process it is, and what to clean up after it. */
export interface LabRecord {
  name: string
  pid: number
  /** As `startOf` tells it: the number alone may by now belong to another process. */
  processStart: string
  /** RFC 3339. */
  createdAt: string
  nodes: number
  vms: number
  guest: GuestKind
  /** Of the API server; absent until the lab is ready. */
  url?: string
  /** Absent until there is one. */
  socketFolder?: string
}

/** Undefined for a text that is no record. */
export function parseRecord(text: string): LabRecord | undefined {
  try {
    const record = JSON.parse(text) as LabRecord
    const known = typeof record.pid === 'number' && typeof record.processStart === 'string'
    return known && typeof record.name === 'string' ? record : undefined
  } catch {
    return undefined
  }
}
