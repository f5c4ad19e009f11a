import { LABEL } from '../../src/kubevirt/labels.ts'
import type { Event, Migration, MigrationState, Pod, Vmi } from '../../src/kubevirt/types.ts'
import { firstSight, type Observed } from '../../src/migrate/observed.ts'

/** Objects as trace 01 has them, at second 0 of the trace and later. */
const T0 = Date.parse('2026-11-29T12:00:00Z')

export function at(seconds: number): string {
  return new Date(T0 + seconds * 1000).toISOString().replace('.000Z', 'Z')
}

export const ms = (seconds: number) => T0 + seconds * 1000

/** The phases of a migration with the seconds at which they began. */
export type Phases = [phase: string, second: number][]

export const TRACE_01: Phases = [
  ['Pending', 2],
  ['Scheduling', 2],
  ['Scheduled', 3],
  ['PreparingTarget', 3],
  ['TargetReady', 5],
  ['Running', 8],
  ['Succeeded', 13],
]

export function migration(phases: Phases = [], more: Partial<Migration> = {}): Migration {
  const phase = phases.at(-1)?.[0]
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    ...more,
    metadata: {
      name: 'vm-1-m',
      namespace: 'demo',
      uid: 'uid-m',
      creationTimestamp: at(1),
      labels: { [LABEL.vmiName]: 'vm-1' },
      ...more.metadata,
    },
    spec: { vmiName: 'vm-1', ...more.spec },
    status: {
      ...(phase !== undefined && { phase }),
      phaseTransitionTimestamps: phases.map(([name, second]) => ({
        phase: name,
        phaseTransitionTimestamp: at(second),
      })),
      ...more.status,
    },
  }
}

export function upTo(phase: string): Phases {
  return TRACE_01.slice(0, TRACE_01.findIndex(([name]) => name === phase) + 1)
}

export function vmi(state?: MigrationState, more: Vmi['status'] = {}): Vmi {
  return {
    kind: 'VirtualMachineInstance',
    metadata: { name: 'vm-1', namespace: 'demo', uid: 'uid-vmi', labels: { app: 'vm-1' } },
    spec: {},
    status: {
      phase: 'Running',
      nodeName: 'node-1',
      migrationMethod: 'LiveMigration',
      conditions: [{ type: 'LiveMigratable', status: 'True' }],
      ...(state && { migrationState: state }),
      ...more,
    },
  }
}

export const HANDED_OFF: MigrationState = {
  migrationUid: 'uid-m',
  sourceNode: 'node-1',
  sourcePod: 'virt-launcher-vm-1-aaaaa',
  targetNode: 'node-3',
  targetPod: 'virt-launcher-vm-1-bbbbb',
}

export const LISTENING: MigrationState = {
  ...HANDED_OFF,
  targetNodeAddress: '10.0.0.3',
  targetDirectMigrationNodePorts: { 41001: 0, 41002: 49152 },
}

export const COPYING: MigrationState = { ...LISTENING, startTimestamp: at(8), mode: 'PreCopy' }

export const COMPLETED: MigrationState = { ...COPYING, endTimestamp: at(13), completed: true }

export function pod(more: Pod['status'] = {}, node: string | undefined = 'node-3'): Pod {
  return {
    kind: 'Pod',
    metadata: {
      name: 'virt-launcher-vm-1-bbbbb',
      namespace: 'demo',
      uid: 'uid-pod',
      creationTimestamp: at(2),
      labels: { [LABEL.app]: 'virt-launcher', [LABEL.migrationJobUid]: 'uid-m' },
    },
    spec: { containers: [], ...(node && { nodeName: node }) },
    status: { phase: 'Running', ...more },
  }
}

/** One that no node can take. */
export function unschedulable(message: string): Pod {
  const condition = { type: 'PodScheduled', status: 'False' as const, reason: 'Unschedulable' }
  return pod({ phase: 'Pending', conditions: [{ ...condition, message }] }, '')
}

export function event(
  reason: string,
  message: string,
  more: { on?: string; uid?: string; second?: number; type?: string; name?: string } = {},
): Event {
  const { on = 'VirtualMachineInstanceMigration', uid = 'uid-m', second = 5 } = more
  return {
    kind: 'Event',
    metadata: { name: more.name ?? `e-${reason}-${second}`, namespace: 'demo' },
    type: more.type ?? 'Warning',
    reason,
    message,
    count: 1,
    lastTimestamp: at(second),
    involvedObject: {
      kind: on,
      namespace: 'demo',
      name: on === 'VirtualMachineInstance' ? 'vm-1' : 'vm-1-m',
      uid,
    },
  }
}

export function known(
  of: Migration,
  more: Partial<Omit<Observed, 'events'>> & { events?: Event[] } = {},
): Observed {
  const { events = [], ...rest } = more
  return {
    ...firstSight(of, rest.vmi),
    ...rest,
    events: new Map(events.map((one) => [one.metadata.name, one])),
  }
}
