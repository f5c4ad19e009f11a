import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { reportOn } from './world.ts'

/**
 * What diagnose says at each step of what the real virt-controller was seen to do (test/traces): the state of the step,
 * put together as an archive of that moment would have it.
 */

type Fields = Record<string, unknown>
interface Step {
  step: number
  at?: number
  settledAfter?: number
  inputs?: { kind?: string; name?: string; body?: { spec?: Fields } }[]
  state?: Record<string, unknown[]>
}

const START = Date.parse('2026-01-01T10:00:00Z')

/** By scenario: at each step the subject, its stage, the code of its verdict. What is not listed is not compared. */
describe.each<[string, Record<number, string[]>]>([
  [
    '01-normal',
    {
      2: ['vmim/demo/vm-1-m PreparingTarget MIG0011'],
      4: ['vmim/demo/vm-1-m Running MIG8000'],
      6: ['vmim/demo/vm-1-m Succeeded MIG0010'],
    },
  ],
  [
    '03-cancel-preparing',
    { 3: ['vmim/demo/vm-1-m PreparingTarget MIG4010'], 6: ['vmi/demo/vm-1 Running MIG1000'] },
  ],
  ['05-unschedulable-timeout', { 3: ['vmim/demo/vm-1-m Failed MIG3013'] }],
  [
    '07-quota',
    { 3: ['vmim/demo/vm-1-m Pending MIG3001'], 4: ['vmim/demo/vm-1-m PreparingTarget MIG0011'] },
  ],
  [
    '08-cluster-limit',
    {
      2: [
        'vmim/demo/vm-3-m Pending MIG2001',
        'vmim/demo/vm-1-m PreparingTarget MIG0011',
        'vmim/demo/vm-2-m PreparingTarget MIG0011',
      ],
    },
  ],
  ['12-target-dies', { 3: ['vmim/demo/vm-1-m Failed MIG4004'] }],
  [
    '14-copy-fails',
    { 5: ['vmim/demo/vm-1-m Failed MIG8014'], 7: ['vmim/demo/vm-1-again Succeeded MIG0010'] },
  ],
  [
    '15-admission',
    { 4: ['vmim/demo/early Pending MIG1015'], 7: ['vmi/demo/vm-1 Running MIG1002'] },
  ],
  ['18-evacuation-backoff', { 3: ['vmim/demo/kubevirt-evacuation-<2> Pending MIG2003'] }],
  ['23-collection', { 8: ['vmim/demo/m7 Succeeded MIG0010'] }],
  [
    '26-pod-security',
    { 3: ['vmim/demo/vm-1-m Pending MIG3003'], 4: ['vmim/demo/vm-1-m PreparingTarget MIG0011'] },
  ],
  [
    '36-cpu-hotplug',
    {
      3: ['vmim/demo/kubevirt-workload-update-<1> Running MIG8026'],
      4: ['vmim/demo/kubevirt-workload-update-<1> Succeeded MIG0010'],
    },
  ],
  ['39-full-node', { 2: ['vmim/demo/vm-1-m Scheduling MIG3010'] }],
])('%s', (scenario, expected) => {
  test('each step is told for what it is', () => {
    const said = stepsOf(scenario)
    for (const [step, subjects] of Object.entries(expected))
      expect(said[Number(step)], `step ${step}`).toEqual(subjects)
  })
})

function stepsOf(scenario: string): Record<number, string[]> {
  const text = readFileSync(new URL(`../traces/${scenario}.yaml`, import.meta.url), 'utf8')
  const trace = timed(parse(text, { maxAliasCount: -1 })) as {
    kubevirt: Fields
    nodes: Fields[]
    steps: Step[]
  }
  const objects = new Map<string, Fields>()
  const born = new Map<string, string>()
  const said: Record<number, string[]> = {}
  let { kubevirt } = trace

  for (const step of trace.steps) {
    const from = step.at ?? 0
    const now = START + (from + (step.settledAfter ?? 0)) * 1000
    for (const { kind, name, body } of step.inputs ?? []) {
      if (/^kubevirts?$/i.test(kind ?? ''))
        kubevirt = { ...kubevirt, spec: { ...(kubevirt.spec as Fields), ...body?.spec } }
      const node = trace.nodes.find((n) => n.name === name)
      if (/^nodes?$/i.test(kind ?? '') && node) Object.assign(node, body?.spec)
    }
    for (const [kind, list] of Object.entries(step.state ?? {}))
      for (const item of list as Fields[]) {
        if (kind === 'gone') continue
        const key = keyOf(kind, item)
        if (!born.has(key)) born.set(key, stamp(from))
        objects.set(key, { ...objectOf(kind, item, born.get(key)!, now) })
      }
    for (const gone of (step.state?.gone ?? []) as string[]) objects.delete(gone)
    try {
      const report = reportOn(
        [{ kind: 'KubeVirt', ...kubevirt }, ...trace.nodes.map(nodeOf), ...objects.values()],
        { now },
      )
      said[step.step] = report.subjects.map(
        ({ ref, stage, verdict }) => `${ref} ${stage} ${verdict.code}`,
      )
    } catch {
      said[step.step] = []
    }
  }
  return said
}

function keyOf(kind: string, item: Fields): string {
  if (kind === 'events') return `events/${item.on}/${item.reason}/${item.message}`
  return `${kind}/${item.name ?? (item.metadata as Fields).name}`
}

function objectOf(kind: string, item: Fields, creationTimestamp: string, now: number): Fields {
  const { name, labels, annotations, finalizers, deleting } = item
  const tokens: Record<string, string> = { migrations: 'migration', vmis: 'vmi', pods: 'pod' }
  const metadata = {
    name,
    namespace: 'demo',
    uid: `uid-of-${tokens[kind]}-${name}`,
    creationTimestamp,
    labels,
    annotations,
    finalizers,
    ...(deleting ? { deletionTimestamp: stamp((now - START) / 1000) } : {}),
  }
  switch (kind) {
    case 'migrations': {
      const phases = (item.phases ?? []) as string[]
      const phaseTransitionTimestamps = phases.map((phase) => ({
        phase,
        phaseTransitionTimestamp: creationTimestamp,
      }))
      return {
        kind: 'VirtualMachineInstanceMigration',
        metadata,
        spec: item.spec,
        status: {
          phase: item.phase,
          conditions: item.conditions,
          migrationState: item.migrationState,
          phaseTransitionTimestamps,
        },
      }
    }
    case 'vmis':
      return { kind: 'VirtualMachineInstance', metadata, spec: item.spec ?? {}, status: item }
    case 'pods':
      return {
        kind: 'Pod',
        metadata,
        spec: {
          nodeName: item.node,
          nodeSelector: item.nodeSelector,
          affinity: item.affinity,
          containers: item.containers,
          initContainers: item.initContainers,
        },
        status: { phase: item.phase, conditions: item.conditions },
      }
    case 'events': {
      const [on, of] = String(item.on).split('/')
      return {
        kind: 'Event',
        metadata: {
          name: `${of}.${item.reason}.${String(item.message).length}`,
          namespace: 'demo',
        },
        involvedObject: { kind: on, name: of, namespace: 'demo' },
        type: item.type,
        reason: item.reason,
        message: item.message,
        count: item.count,
        firstTimestamp: creationTimestamp,
        lastTimestamp: creationTimestamp,
      }
    }
    default:
      return {
        kind: 'ResourceQuota',
        ...item,
        metadata: { ...(item.metadata as Fields), namespace: 'demo' },
      }
  }
}

function nodeOf({ name, labels, unschedulable, allocatable }: Fields): Fields {
  return {
    kind: 'Node',
    metadata: { name, labels },
    spec: { unschedulable },
    status: { allocatable, conditions: [{ type: 'Ready', status: 'True' }] },
  }
}

/** `T+12s` as a time; the recording's words for uids, which hold spaces, as uids. */
function timed(value: unknown): unknown {
  if (typeof value === 'string') {
    if (/^T\+\d+s$/.test(value)) return stamp(Number(value.slice(2, -1)))
    return value.replace(/<uid of (\w+) ([\w-]+(?:<\w+>)?)>/g, 'uid-of-$1-$2')
  }
  if (Array.isArray(value)) return value.map(timed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, timed(inner)]))
}

function stamp(seconds: number): string {
  return new Date(START + Math.round(seconds) * 1000).toISOString().replace('.000Z', 'Z')
}
