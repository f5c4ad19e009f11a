import { diagnose } from '../../src/diagnose/engine.ts'
import { type DiagnosisReport, reportOf } from '../../src/diagnose/report.ts'
import { lineKinds } from '../../src/diagnose/texts.ts'
import { parseLogLine } from '../../src/evidence/log-line.ts'
import { createObjects } from '../../src/evidence/objects.ts'
import type { ProxyProbe } from '../../src/evidence/probes.ts'
import { objectsIn } from '../../src/evidence/shape.ts'

/** A small cluster as files would show it: builders of its objects with what a check needs, and its diagnosis. */

type Fields = Record<string, unknown>

export const BORN = '2026-01-01T10:00:00Z'
const NOW = Date.parse('2026-01-01T10:02:00Z')
export const LATER = Date.parse('2026-01-01T10:20:00Z')

export function migration(
  phase: string,
  over: { spec?: Fields; metadata?: Fields; status?: Fields } = {},
): Fields {
  return {
    kind: 'VirtualMachineInstanceMigration',
    metadata: {
      name: 'mig-1',
      namespace: 'demo',
      uid: 'u1',
      creationTimestamp: BORN,
      ...over.metadata,
    },
    spec: { vmiName: 'vm-a', ...over.spec },
    status: {
      phase,
      phaseTransitionTimestamps: [{ phase, phaseTransitionTimestamp: '2026-01-01T10:00:01Z' }],
      ...over.status,
    },
  }
}

/** The phases that it went through, a second apart. */
export function through(...phases: string[]): Fields {
  return {
    phaseTransitionTimestamps: phases.map((phase, i) => ({
      phase,
      phaseTransitionTimestamp: `2026-01-01T10:00:0${i}Z`,
    })),
  }
}

export function vmi(spec: Fields = {}, status: Fields = {}, metadata: Fields = {}): Fields {
  return {
    kind: 'VirtualMachineInstance',
    metadata: { name: 'vm-a', namespace: 'demo', uid: 'v1', ...metadata },
    spec: { domain: { devices: {} }, ...spec },
    status: {
      phase: 'Running',
      nodeName: 'node-a',
      conditions: [{ type: 'LiveMigratable', status: 'True' }],
      ...status,
    },
  }
}

/** The state of `mig-1` in the VMI's slot. */
export function handedOff(state: Fields = {}): Fields {
  return {
    migrationState: { migrationUid: 'u1', sourceNode: 'node-a', targetNode: 'node-b', ...state },
  }
}

export function failed(failureReason?: string): Fields {
  const times = { startTimestamp: '2026-01-01T10:01:00Z', endTimestamp: '2026-01-01T10:01:50Z' }
  return handedOff({
    completed: true,
    failed: true,
    ...times,
    ...(failureReason && { failureReason }),
  })
}

export function launcher(
  name: string,
  nodeName: string | undefined,
  over: { spec?: Fields; status?: Fields; labels?: Fields } = {},
): Fields {
  return {
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'demo',
      uid: `pod-${name}`,
      creationTimestamp: BORN,
      labels: { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': 'v1', ...over.labels },
    },
    spec: {
      nodeName,
      containers: [{ name: 'compute', resources: { requests: { memory: '2Gi' } } }],
      ...over.spec,
    },
    status: { phase: nodeName ? 'Running' : 'Pending', ...over.status },
  }
}

export const source = launcher('virt-launcher-vm-a-src', 'node-a')

export function target(
  nodeName: string | undefined,
  over: { spec?: Fields; status?: Fields } = {},
): Fields {
  return launcher('virt-launcher-vm-a-tgt', nodeName, {
    ...over,
    labels: { 'kubevirt.io/migrationJobUID': 'u1' },
  })
}

/** A target pod for which the scheduler finds no node. */
export function unscheduled(message: string, spec: Fields = {}): Fields {
  return target(undefined, {
    spec,
    status: {
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    },
  })
}

export function node(
  name: string,
  over: { labels?: Fields; spec?: Fields; allocatable?: Fields; ready?: string } = {},
): Fields {
  return {
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'kubevirt.io/schedulable': 'true', ...over.labels },
    },
    spec: { ...over.spec },
    status: {
      allocatable: { cpu: '8', memory: '16Gi', pods: '110', ...over.allocatable },
      conditions: [{ type: 'Ready', status: over.ready ?? 'True' }],
    },
  }
}

export function handler(nodeName: string, status: Fields = {}, metadata: Fields = {}): Fields {
  return {
    kind: 'Pod',
    metadata: {
      name: `virt-handler-${nodeName}`,
      namespace: 'kubevirt',
      creationTimestamp: '2025-01-01T10:00:00Z',
      labels: { 'kubevirt.io': 'virt-handler' },
      ...metadata,
    },
    spec: { nodeName, containers: [] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...status },
  }
}

export function event(on: string, reason: string, message: string, over: Fields = {}): Fields {
  const [kind, name] = on.split('/')
  return {
    kind: 'Event',
    metadata: {
      name: `${name}.${reason}.${message.length}.${over.lastTimestamp ?? ''}`,
      namespace: 'demo',
    },
    involvedObject: { kind, name, namespace: 'demo' },
    type: 'Warning',
    reason,
    message,
    lastTimestamp: '2026-01-01T10:01:30Z',
    ...over,
  }
}

export function kubevirt(
  migrations: Fields = {},
  over: { spec?: Fields; status?: Fields } = {},
): Fields {
  return {
    kind: 'KubeVirt',
    metadata: { name: 'kubevirt', namespace: 'kubevirt' },
    spec: { configuration: { migrations }, ...over.spec },
    status: { phase: 'Deployed', observedKubeVirtVersion: 'v1.9.0', ...over.status },
  }
}

interface Around {
  now?: number
  log?: string[]
  /** What was seen on nodes of a cluster. */
  probes?: ProxyProbe[]
  /** From a cluster, whose logs nobody asked for. */
  cluster?: boolean
}

/** The report on these objects and log lines. */
export function reportOn(
  objects: Fields[],
  { now = NOW, log = [], probes, cluster = false }: Around = {},
): DiagnosisReport {
  const store = createObjects()
  for (const item of objectsIn(structuredClone(objects)).items) store.add(item, 'test')
  const logs = log.flatMap((raw, i) => {
    if (!lineKinds.anchors.some((anchor) => raw.includes(anchor))) return []
    const line = parseLogLine(raw)
    if (lineKinds.kindOf(line) === undefined) return []
    return [{ ...line, origin: { file: 'test.log', previous: false }, line: i + 1, count: 1 }]
  })
  const evidence = {
    source: { kind: probes || cluster ? ('cluster' as const) : ('files' as const), from: ['test'] },
    ...(probes && { probes }),
    objects: store,
    logs,
    logLines: log.length,
    logFiles: cluster ? 0 : 1,
    gaps: [],
    latest: now,
  }
  return reportOf(diagnose(evidence, now), 0)
}

/** Code and status of the verdict, and its words. */
export function verdictOn(objects: Fields[], options?: Around) {
  const report = reportOn(objects, options)
  const { code, title, cause, endsByItself, deadline } = report.verdict
  const status = report.subjects[0]!.findings.find((finding) => finding.code === code)?.status
  return { code, status, endsByItself, deadline, text: `${title}. ${cause}` }
}
