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
  /** Of a binding. */
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

/** @throws Error that says what of the file is not as a recording has to be */
export function loadScenario(file: string): Scenario {
  return scenarioOf(parse(readFileSync(file, 'utf8')))
}

/** What a recording may leave out is filled in: a step in which nobody wrote anything, or in which nothing changed. */
export function scenarioOf(document: unknown): Scenario {
  const { scenario, kubevirt, nodes, steps } = (document ?? {}) as Partial<Scenario>
  if (typeof scenario !== 'string') throw new Error('"scenario" is missing: this is no recording')
  if (!kubevirt?.metadata?.name) throw new Error('"kubevirt" is missing')
  if (!Array.isArray(nodes)) throw new Error('"nodes" is no list')
  if (!Array.isArray(steps) || steps.length === 0) throw new Error('"steps" is no list')
  return {
    ...(document as Scenario),
    steps: steps.map((step, index) => stepOf(step, index + 1)),
  }
}

const OPERATIONS = ['create', 'delete', 'merge', 'strategic-merge', 'bind', 'evict', 'PUT']

function stepOf(step: Partial<Step>, number: number): Step {
  const { settledAfter, inputs } = step
  const where = `step ${step.step ?? number}`
  if (typeof settledAfter !== 'number') throw new Error(`${where}: "settledAfter" is no number`)
  for (const { op, by, kind } of inputs ?? []) {
    if (!OPERATIONS.includes(op)) throw new Error(`${where}: the operation "${op}" is unknown`)
    if (!by || !kind) throw new Error(`${where}: an input without "by" or "kind"`)
  }
  return {
    step: number,
    do: '',
    at: 0,
    ...step,
    settledAfter,
    inputs: inputs ?? [],
    state: step.state ?? {},
  }
}
