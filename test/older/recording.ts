import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { LABEL } from '../../src/kubevirt/labels.ts'
import type { Event, KubeVirt, Migration, Vmi } from '../../src/kubevirt/types.ts'

/** What a cluster of an old release held after a step of a recording (traces' README: format). */
export interface OldCluster {
  migrations: Migration[]
  vmis: Vmi[]
  events: Event[]
}

interface Recorded {
  name: string
  [field: string]: unknown
}

interface Trace {
  steps: { step: number; state?: Record<string, Recorded[]> }[]
}

export const T0 = Date.parse('2026-11-29T12:00:00Z')

export const RELEASES = ['v1.1.0', 'v1.3.0']

export function kubevirtOf(release: string, migrations: object = {}): KubeVirt {
  return {
    metadata: { name: 'kubevirt', namespace: 'kubevirt' },
    spec: { configuration: { migrations } },
    status: { observedKubeVirtVersion: release },
  }
}

/** The objects as they were: an object that a step does not list is as it was before. */
export function afterStep(release: string, scenario: string, last: number): OldCluster {
  const path = new URL(`${release}/${scenario}.yaml`, import.meta.url)
  const text = readFileSync(path, 'utf8').replace(/\bT\+(\d+)s/g, (_, seconds) => at(seconds))
  const { steps } = parse(text) as Trace
  const kept = (kind: string) => {
    const objects = new Map<string, Recorded>()
    for (const { step, state } of steps)
      for (const object of step <= last ? (state?.[kind] ?? []) : [])
        objects.set(object.name, { ...objects.get(object.name), ...object })
    return [...objects.values()]
  }
  const events = steps.flatMap(({ step, state }) => (step <= last ? (state?.['events'] ?? []) : []))
  return {
    migrations: kept('migrations').map((one): Migration => migrationOf(one)),
    vmis: kept('vmis').map(vmiOf),
    events: events.map(eventOf),
  }
}

function at(seconds: string): string {
  return new Date(T0 + Number(seconds) * 1000).toISOString().replace('.000Z', 'Z')
}

function migrationOf({ name, phase, phases, migrationState, conditions, ...rest }: Recorded) {
  const labels = rest['labels'] as Record<string, string>
  return {
    metadata: {
      name,
      namespace: 'demo',
      uid: uidOf('migration', name),
      creationTimestamp: at('1'),
      labels,
      annotations: rest['annotations'] as Record<string, string>,
    },
    // Recordings leave it out; its label says the same.
    spec: { vmiName: labels[LABEL.vmiName] ?? '' },
    status: {
      phase,
      conditions,
      migrationState,
      phaseTransitionTimestamps: (phases as string[]).map((one, i) => ({
        phase: one,
        phaseTransitionTimestamp: at(String(i + 2)),
      })),
    } as Migration['status'] & object,
  }
}

function vmiOf({ name, labels, ...status }: Recorded): Vmi {
  return {
    metadata: {
      name,
      namespace: 'demo',
      uid: uidOf('vmi', name),
      labels: labels as Record<string, string>,
    },
    spec: {},
    status: status as Vmi['status'] & object,
  }
}

function eventOf(recorded: Recorded, i: number): Event {
  const { type, reason, message, on, count } = recorded as unknown as Record<string, string>
  const [kind = '', name = ''] = (on ?? '').split('/')
  const of = kind === 'VirtualMachineInstance' ? 'vmi' : 'migration'
  return {
    metadata: { name: `e-${i}`, namespace: 'demo' },
    type,
    reason,
    message,
    count: Number(count),
    lastTimestamp: at('12'),
    involvedObject: { kind, name, namespace: 'demo', uid: uidOf(of, name) },
  } as Event
}

/** The recordings' own token. */
function uidOf(kind: string, name: string): string {
  return `<uid of ${kind} ${name}>`
}
