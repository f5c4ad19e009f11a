import { eventTime } from '../evidence/latest.ts'
import type { LogHit } from '../evidence/log-hits.ts'
import { isAskedToMove } from '../kubevirt/asked-to-move.ts'
import { LABEL } from '../kubevirt/labels.ts'
import { conditionOf, isFinal, phaseOf, stateOf, timeOf } from '../kubevirt/migration.ts'
import type { Event, Migration, Pod, Vm, Vmi } from '../kubevirt/types.ts'
import { needsRecovery } from '../rules/vm-volume-recovery.ts'
import { attribute } from './said.ts'
import { type Subject, subjectWithoutObjects, type World } from './subject.ts'

/**
 * What there is to judge: each migration that is not over; of each VM the last one that is; each VM without any; and
 * where no object speaks of a migration, what the logs speak of.
 */
export function subjectsOf(world: World): Subject[] {
  const byVm = Map.groupBy(
    world.migrations,
    (m) => `${m.metadata.namespace ?? ''}/${m.spec.vmiName ?? ''}`,
  )
  const subjects: Subject[] = []
  for (const migrations of byVm.values()) {
    const newestFirst = migrations.sort(byAge)
    const open = newestFirst.filter((migration) => !isFinal(migration))
    const chosen = open.length > 0 ? open : newestFirst.slice(0, 1)
    const vmi = vmiOf(world, newestFirst[0]!)
    // The last one went well, and now the VM is to move again: that there is no migration is the matter.
    if (vmi && chosen.every((m) => phaseOf(m) === 'Succeeded') && isToMove(vmi, world)) {
      subjects.push({ ...vmiSubject(world, vmi), earlier: newestFirst })
      continue
    }
    for (const migration of chosen) {
      const at = newestFirst.indexOf(migration)
      subjects.push(migrationSubject(world, migration, newestFirst.slice(at + 1)))
    }
  }
  for (const vmi of world.vmis) {
    const { namespace = '', name } = vmi.metadata
    if (!byVm.has(`${namespace}/${name}`)) subjects.push(vmiSubject(world, vmi))
  }
  for (const vm of world.evidence.objects.list<Vm>('VirtualMachine')) {
    const key = `${vm.metadata.namespace ?? ''}/${vm.metadata.name}`
    if (needsRecovery(vm) && !byVm.has(key) && !isIn(world.vmis, vm))
      subjects.push(vmSubject(world, vm))
  }
  if (subjects.length === 0) subjects.push(...logSubjects(world.evidence.logs))
  if (subjects.length === 0) subjects.push(...installation(world))
  attribute(world, subjects)
  return subjects
}

function migrationSubject(world: World, migration: Migration, earlier: Migration[]): Subject {
  const namespace = migration.metadata.namespace ?? ''
  const name = migration.spec.vmiName ?? ''
  const vmi = vmiOf(world, migration)
  const uid = migration.metadata.uid
  const state = stateOf(migration, vmi)
  const around = surroundings(world, namespace, name, vmi)
  const targetPods = around.launchers
    .filter((pod) => uid !== undefined && pod.metadata.labels?.[LABEL.migrationJobUid] === uid)
    .sort(byAge)
    .reverse()
  const named = (pod: string | undefined) => around.launchers.find((p) => p.metadata.name === pod)
  const sourceName = state?.sourcePod ?? migration.status?.migrationState?.sourcePod
  const targetPod = named(state?.targetPod) ?? targetPods.at(-1)
  const sourceNode =
    state?.sourceNode ?? migration.status?.migrationState?.sourceNode ?? vmi?.status?.nodeName
  const sourcePod =
    named(sourceName) ??
    around.launchers.find((pod) => pod.spec.nodeName === sourceNode && !targetPods.includes(pod))
  const phase = phaseOf(migration)
  const subject: Subject = {
    kind: 'migration',
    ref: `vmim/${namespace}/${migration.metadata.name}`,
    namespace,
    name,
    migration,
    phase,
    state,
    earlier,
    vmi,
    ...around,
    sourcePod,
    targetPods,
    targetPod,
    attachmentPods: world.lookup.attachments(namespace).filter((pod) => belongsTo(pod, targetPods)),
    sourceNode,
    targetNode:
      state?.targetNode ?? migration.status?.migrationState?.targetNode ?? targetPod?.spec.nodeName,
    events: [],
    said: [],
    troubled: phase !== 'Succeeded',
  }
  subject.events = eventsOf(world, subject)
  return subject
}

function vmiSubject(world: World, vmi: Vmi): Subject {
  const { namespace = '', name } = vmi.metadata
  const around = surroundings(world, namespace, name, vmi)
  const subject: Subject = {
    kind: 'vmi',
    ref: `vmi/${namespace}/${name}`,
    namespace,
    name,
    migration: undefined,
    phase: vmi.status?.phase ?? '',
    state: undefined,
    earlier: [],
    vmi,
    ...around,
    sourcePod: around.launchers.find((pod) => pod.spec.nodeName === vmi.status?.nodeName),
    targetPods: [],
    targetPod: undefined,
    attachmentPods: [],
    sourceNode: vmi.status?.nodeName,
    targetNode: undefined,
    events: [],
    said: [],
    troubled: isAskedToMove(vmi),
  }
  subject.events = eventsOf(world, subject)
  return subject
}

/** A VM that KubeVirt does not start any more because of what a migration has left. */
function vmSubject(world: World, vm: Vm): Subject {
  const { namespace = '', name } = vm.metadata
  const ref = `vm/${namespace}/${name}`
  const about = { kind: 'vmi', ref, namespace, name, troubled: true } as const
  const events = world.lookup.events(namespace, 'VirtualMachine', name)
  return { ...subjectWithoutObjects(about), vm, events }
}

/** Nothing but KubeVirt itself was read, and that it is not deployed explains why nothing moves. */
function installation({ kubevirt }: World): Subject[] {
  const phase = kubevirt?.status?.phase
  if (!kubevirt || phase === undefined || phase === 'Deployed') return []
  const { namespace = '', name } = kubevirt.metadata
  const ref = `kubevirt/${namespace}/${name}`
  return [subjectWithoutObjects({ kind: 'vmi', ref, namespace, name, troubled: true })]
}

function isIn(vmis: readonly Vmi[], { metadata }: Vm): boolean {
  return vmis.some(
    (vmi) => vmi.metadata.name === metadata.name && vmi.metadata.namespace === metadata.namespace,
  )
}

/** One for each VM or migration that the logs name; one for all when they name none or one. */
function logSubjects(logs: readonly LogHit[]): Subject[] {
  const names = [
    ...new Set(
      logs.flatMap(({ namespace, name }) => (namespace && name ? [`${namespace}/${name}`] : [])),
    ),
  ]
  if (names.length === 0) return logs.length > 0 ? [logSubject('', '')] : []
  const nameless = names.length > 1 && logs.some(({ name }) => name === undefined)
  const named = names.sort().map((key) => logSubject(...(key.split('/') as [string, string])))
  return nameless ? [...named, logSubject('', '')] : named
}

function logSubject(namespace: string, name: string): Subject {
  const ref = name ? `logs of ${namespace}/${name}` : 'logs'
  return subjectWithoutObjects({ kind: 'log', ref, namespace, name, troubled: true })
}

function vmiOf(world: World, { metadata, spec }: Migration): Vmi | undefined {
  return world.evidence.objects.get<Vmi>(
    'VirtualMachineInstance',
    metadata.namespace,
    spec.vmiName ?? '',
  )
}

/** Asked for, or to be drained from a node that it cannot leave. */
function isToMove(vmi: Vmi, { nodes }: World): boolean {
  const node = nodes.find(({ metadata }) => metadata.name === vmi.status?.nodeName)
  const stays = conditionOf(vmi, 'LiveMigratable')?.status === 'False'
  return isAskedToMove(vmi) || (stays && node?.spec.unschedulable === true)
}

function surroundings(world: World, namespace: string, name: string, vmi: Vmi | undefined) {
  return {
    launchers: world.lookup.launchers(namespace, name, vmi?.metadata.uid),
    vm: world.evidence.objects.get<Vm>('VirtualMachine', namespace, name),
  }
}

function belongsTo(pod: Pod, targetPods: Pod[]): boolean {
  return targetPods.some((target) => {
    const uid = target.metadata.uid
    if (pod.metadata.ownerReferences?.some((owner) => owner.uid === uid)) return true
    const job = pod.metadata.labels?.[LABEL.migrationJobUid]
    return job !== undefined && job === target.metadata.labels?.[LABEL.migrationJobUid]
  })
}

/** Events of the migration itself, of its pods, and those of the VM that are not older than the migration. */
function eventsOf({ lookup }: World, subject: Subject): Event[] {
  const { namespace, name, migration } = subject
  const born = timeOf(migration?.metadata.creationTimestamp)
  const uid = migration?.metadata.uid
  const own = lookup
    .events(namespace, 'VirtualMachineInstanceMigration', migration?.metadata.name ?? '')
    .filter(({ involvedObject: of }) => of.uid === undefined || uid === undefined || of.uid === uid)
  // Event times are whole seconds; a minute covers what led to the migration.
  const isRecent = (event: Event) => {
    const time = eventTime(event)
    return born === undefined || time === undefined || time >= born - 60_000
  }
  const ofVm = ['VirtualMachineInstance', 'VirtualMachine'].flatMap((kind) =>
    lookup.events(namespace, kind, name),
  )
  const ofPods = podNames(subject, own).flatMap((pod) => lookup.events(namespace, 'Pod', pod))
  const all = [
    ...own,
    ...ofPods,
    ...[...ofVm, ...lookup.attachmentEvents(namespace)].filter(isRecent),
  ]
  return [...new Set(all)].sort((a, b) => (eventTime(a) ?? 0) - (eventTime(b) ?? 0))
}

/** The pods of the migration, those that are gone included: its events name them. */
function podNames(subject: Subject, own: Event[]): string[] {
  const created = own.flatMap(
    ({ message }) =>
      /Created (?:migration target|attachment) pod (\S+)/.exec(message ?? '')?.[1] ?? [],
  )
  const launchers = isRunning(subject) ? subject.targetPods : subject.launchers
  return [
    ...new Set([
      ...created,
      ...(subject.state?.targetPod ? [subject.state.targetPod] : []),
      ...[...launchers, ...subject.attachmentPods].map((pod) => pod.metadata.name),
    ]),
  ]
}

function isRunning(subject: Subject): boolean {
  return (subject.vmi?.status?.phase ?? 'Running') === 'Running'
}

/** Newest first; of equal age the later name first, so that the order is always the same. */
function byAge(a: Migration | Pod, b: Migration | Pod): number {
  const age =
    (timeOf(b.metadata.creationTimestamp) ?? 0) - (timeOf(a.metadata.creationTimestamp) ?? 0)
  return age || (a.metadata.name < b.metadata.name ? 1 : -1)
}
