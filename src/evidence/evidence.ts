import type { KubeObject } from '../kubevirt/types.ts'
import type { LogHit } from './log-hits.ts'
import type { Objects } from './objects.ts'
import type { ProxyProbe } from './probes.ts'

/** Something that was not read, and why: no check may take it for "absent" (design.md §2). */
export interface Gap {
  /** What is missing: a kind, a file, a component's log. */
  what: string
  why:
    | 'not-in-evidence'
    | 'malformed'
    | 'too-large'
    | 'truncated'
    | 'unreadable'
    | 'forbidden'
    | 'expired'
    | 'not-asked'
  detail: string
  file?: string
  line?: number
}

/** One read: what came, or that nothing is there, or why it is not known. */
export type Read<T> =
  | { state: 'read'; value: T; from: string; complete: boolean | 'unknown' }
  | { state: 'absent'; from: string }
  | { state: 'unread'; gap: Gap }

/** How a running copy stands, as virt-handler measures it. Bytes, and bytes a second. */
export interface CopyMeasure {
  migrationUid: string
  /** The virt-handler that says so. */
  pod: string
  totalBytes: number | undefined
  processedBytes: number
  remainingBytes: number
  dirtyRate: number
  copyRate: number
  /** ms */
  at: number | undefined
}

/** All that was gathered about one cluster, in one shape, whether from files or from an API. */
export interface Evidence {
  source: { kind: 'files' | 'cluster'; from: string[] }
  objects: Objects
  /** Log lines that speak of migration; all other lines were read and dropped. */
  logs: LogHit[]
  /** How many log lines were read, and from how many files. */
  logLines: number
  logFiles: number
  gaps: Gap[]
  /** Only a cluster can be asked for them. */
  copies?: CopyMeasure[]
  /** What was looked at on nodes, a migration each; undefined when nothing was asked for. */
  probes?: ProxyProbe[]
  /** The newest moment that anything in the evidence is known to have happened, in ms; undefined when nothing tells. */
  latest: number | undefined
}

/**
 * All objects of a kind. From files, a kind of which there is no trace is unread: the archive need not hold it. From a
 * cluster, the gap that was met when it was asked for says why.
 */
export function readKind<T extends KubeObject>(evidence: Evidence, kind: string): Read<T[]> {
  const { objects, source } = evidence
  if (objects.seen(kind)) {
    const complete = source.kind === 'cluster' ? true : 'unknown'
    return { state: 'read', value: objects.list<T>(kind), from: source.from.join(', '), complete }
  }
  const met = evidence.gaps.find(({ what }) => what === kind)
  if (met) return { state: 'unread', gap: met }
  const detail =
    source.kind === 'cluster'
      ? `no ${kind} is requested from a cluster`
      : `no ${kind} in what was read`
  return { state: 'unread', gap: { what: kind, why: 'not-in-evidence', detail } }
}
