import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Condition, Container, KubeVirt, MigrationState } from '../../src/kubevirt/types.ts'

/** A recording, as the README beside the recordings describes it; what is not replayed is left out. */
export interface Scenario {
  scenario: string
  title: string
  kubevirt: KubeVirt
  nodes: RecordedNode[]
  steps: Step[]
}

interface RecordedNode {
  name: string
  labels?: Record<string, string>
  unschedulable?: boolean
  allocatable?: Record<string, string>
}

export interface Step {
  step: number
  do: string
  at: number
  /** Seconds. */
  settledAfter: number
  inputs: Input[]
  writes?: Write[]
  state: State
}

/** What others than KubeVirt wrote. */
export interface Input {
  /** Seconds since the start, on one clock with the writes. */
  t: number
  by: string
  op: 'create' | 'delete' | 'merge' | 'strategic-merge' | 'bind' | 'evict' | 'PUT'
  /** For PUT the path. */
  kind: string
  name?: string
  subresource?: string
  node?: string
  body?: Record<string, unknown>
  refused?: { code: number; message: string }
}

/** What KubeVirt wrote. */
export interface Write {
  t: number
  by: string
  verb: string
  kind: string
  name?: string
  subresource?: string
  code?: number
}

/** Objects that differ from the step before. */
export interface State {
  migrations?: RecordedMigration[]
  vmis?: RecordedVmi[]
  pods?: RecordedPod[]
  quotas?: RecordedQuota[]
  events?: RecordedEvent[]
  /** `migrations/NAME` … */
  gone?: string[]
}

export interface Recorded {
  name: string
  labels?: Record<string, string> | null
  annotations?: Record<string, string> | null
}

export interface RecordedMigration extends Recorded {
  finalizers?: string[]
  deleting?: boolean
  spec?: object
  phase?: string
  phases?: string[]
  conditions?: Condition[]
  migrationState?: MigrationState | null
}

export interface RecordedVmi extends Recorded {
  phase?: string
  nodeName?: string
  evacuationNodeName?: string
  activePods?: Record<string, string>
  migrationState?: MigrationState | null
  conditions?: Condition[]
}

export interface RecordedPod extends Recorded {
  phase?: string
  node?: string
  nodeSelector?: Record<string, string> | null
  affinity?: object | null
  conditions?: Condition[]
  containers?: Container[]
  initContainers?: Container[]
}

export interface RecordedQuota {
  metadata: { name: string }
  spec?: { hard?: Record<string, string> }
  status?: { hard?: Record<string, string>; used?: Record<string, string> }
}

export interface RecordedEvent {
  type: string
  reason: string
  message: string
  /** `Kind/name`. */
  on: string
  by?: string
}

export function loadScenario(file: string): Scenario {
  return parse(readFileSync(file, 'utf8')) as Scenario
}
