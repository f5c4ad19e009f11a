import { EVENTS, MIGRATIONS, PODS, RESOURCE_QUOTAS, VMIS } from '../../src/kubevirt/resources.ts'
import type {
  Event,
  KubeObject,
  Migration,
  Pod,
  ResourceQuota,
  Vmi,
} from '../../src/kubevirt/types.ts'
import { emptySnapshot, type Snapshot } from './expected.ts'
import type { ReplayLab } from './lab.ts'
import type { RecordedMigration, RecordedPod, RecordedQuota, RecordedVmi } from './scenario.ts'

/** The state of the lab in the form of a recording, with tokens for what the server made up. */
export function observe({ names, all }: ReplayLab): Snapshot {
  const snapshot = emptySnapshot()
  for (const migration of all<Migration>(MIGRATIONS)) {
    const seen = names.tokens(recordMigration(migration))
    snapshot.migrations.set(seen.name, seen)
  }
  for (const vmi of all<Vmi>(VMIS)) {
    const seen = names.tokens(recordVmi(vmi))
    snapshot.vmis.set(seen.name, seen)
  }
  for (const pod of all<Pod>(PODS)) {
    const seen = names.tokens(recordPod(pod))
    snapshot.pods.set(seen.name, seen)
  }
  for (const quota of all<ResourceQuota>(RESOURCE_QUOTAS)) {
    const { metadata, spec, status } = quota
    const seen = { metadata: { name: metadata.name }, spec, ...(status ? { status } : {}) }
    snapshot.quotas.set(metadata.name, names.tokens(seen as RecordedQuota))
  }
  snapshot.events = all<Event>(EVENTS).map(
    ({ type = '', reason = '', message = '', involvedObject }) =>
      names.tokens({ type, reason, message, on: `${involvedObject.kind}/${involvedObject.name}` }),
  )
  return snapshot
}

function recordMigration(migration: Migration): RecordedMigration {
  const { spec, status, metadata } = migration
  return {
    ...common(migration),
    ...(metadata.finalizers ? { finalizers: metadata.finalizers } : {}),
    ...(metadata.deletionTimestamp ? { deleting: true } : {}),
    spec,
    ...defined({
      phase: status?.phase,
      phases: status?.phaseTransitionTimestamps?.map(({ phase }) => phase),
      conditions: status?.conditions,
      migrationState: status?.migrationState,
    }),
  }
}

function recordVmi(vmi: Vmi): RecordedVmi {
  const status = vmi.status ?? {}
  return {
    ...common(vmi),
    ...defined({
      phase: status.phase,
      nodeName: status.nodeName,
      evacuationNodeName: status.evacuationNodeName,
      activePods: status.activePods,
      migrationState: status.migrationState,
      conditions: status.conditions,
    }),
  }
}

function recordPod(pod: Pod): RecordedPod {
  return {
    ...common(pod),
    ...defined({
      phase: pod.status?.phase,
      node: pod.spec.nodeName,
      nodeSelector: pod.spec.nodeSelector,
      affinity: pod.spec.affinity,
      conditions: pod.status?.conditions,
      containers: pod.spec.containers,
      initContainers: pod.spec.initContainers,
    }),
  }
}

function common({ metadata }: KubeObject) {
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
  }
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<T>
}
