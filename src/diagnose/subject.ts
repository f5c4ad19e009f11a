import type { Evidence } from '../evidence/evidence.ts'
import type { LogHit } from '../evidence/log-hits.ts'
import type { Release } from '../kubevirt/defaults.ts'
import type {
  Event,
  KubeVirt,
  Migration,
  MigrationState,
  Node,
  Pod,
  Vm,
  Vmi,
} from '../kubevirt/types.ts'
import type { Lookup } from './lookup.ts'
import type { KnownText, Worth } from './texts.ts'

/** A known text that was found about a subject, wherever it stood. */
export interface Said {
  row: KnownText
  worth: Worth
  groups: Record<string, string>
  /** The line or message itself, cut. */
  quote: string
  /** Object and field, or file and line. */
  source: string
  field?: string
  /** ms */
  time?: number
  count: number
  hit?: LogHit
}

/** All that is known about one migration, or one VM without any, put together once for all checks. */
export interface Subject {
  kind: 'migration' | 'vmi' | 'log' | 'cluster'
  /** `vmim/NS/NAME`, `vmi/NS/NAME`, or what the logs speak of. */
  ref: string
  namespace: string
  /** Name of the VM; empty when unknown. */
  name: string
  migration: Migration | undefined
  /** The migration's phase, or the VMI's. */
  phase: string
  /** This migration's own state, never that of another (design.md §4). */
  state: MigrationState | undefined
  /** Earlier migrations of the VM, newest first. */
  earlier: Migration[]
  vmi: Vmi | undefined
  vm: Vm | undefined
  /** All launcher pods of the VM. */
  launchers: Pod[]
  sourcePod: Pod | undefined
  /** Launcher pods made for this migration, oldest first. */
  targetPods: Pod[]
  targetPod: Pod | undefined
  attachmentPods: Pod[]
  sourceNode: string | undefined
  targetNode: string | undefined
  /** Of the VMIM, the VMI, the VM and their pods, oldest first. */
  events: Event[]
  said: Said[]
  /** Something was asked for that did not happen: only then do texts and symptoms count against it. */
  troubled: boolean
  /** Somebody wants to know of this one why it does not move. */
  asked?: boolean
  /** Of a place in the cluster. */
  place?: Place
}

/** What is known of a place beside those migrations in it that are told. */
export interface Place {
  node?: string
  /** How many migrations are in flight in it. */
  inFlight: number
  /** It was asked what is in flight: nothing is, and this one failed last. */
  over?: { lastFailed: Migration | undefined }
}

/** A subject of which no object is known: what logs speak of, or a place in the cluster. */
export function subjectWithoutObjects(
  about: Pick<Subject, 'kind' | 'ref' | 'namespace' | 'name' | 'troubled'>,
): Subject {
  return {
    ...about,
    migration: undefined,
    phase: '',
    state: undefined,
    earlier: [],
    vmi: undefined,
    vm: undefined,
    launchers: [],
    sourcePod: undefined,
    targetPods: [],
    targetPod: undefined,
    attachmentPods: [],
    sourceNode: undefined,
    targetNode: undefined,
    events: [],
    said: [],
  }
}

/** The cluster around the subjects. */
export interface World {
  evidence: Evidence
  now: number
  kubevirt: KubeVirt | undefined
  release: Release | undefined
  migrations: Migration[]
  vmis: Vmi[]
  pods: Pod[]
  nodes: Node[]
  lookup: Lookup
  /** How many migrations hold a slot, as KubeVirt counts. */
  running: number
  /** virt-handler pods by node. */
  handlers: Map<string, Pod>
}
