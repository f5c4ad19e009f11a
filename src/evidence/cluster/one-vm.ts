import type { Cluster } from '../../cluster/cluster.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import { isFinal, phaseOf, timeOf } from '../../kubevirt/migration.ts'
import type { Reference } from '../../kubevirt/reference.ts'
import {
  DISRUPTION_BUDGETS,
  EVENTS,
  JOBS,
  LIMIT_RANGES,
  MIGRATION_POLICIES,
  MIGRATIONS,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUMES,
  PODS,
  PVCS,
  RESOURCE_QUOTAS,
  STORAGE_CLASSES,
  STORAGE_PROFILES,
  VMIS,
  VOLUME_ATTACHMENTS,
} from '../../kubevirt/resources.ts'
import type { Event, KubeObject, Migration, Node, Pod, Vmi } from '../../kubevirt/types.ts'
import type { Evidence } from '../evidence.ts'
import { readCopies } from './copy.ts'
import { evidenceFrom } from './gathered.ts'
import { createPermissions } from './permissions.ts'
import { createReader, type Reader } from './reader.ts'
import { type Found, findSubject, newestFirst } from './subject.ts'
import { readComponents, readFirst } from './surroundings.ts'

export interface Gathered {
  evidence: Evidence
  found: Found
}

export interface GatherOptions {
  namespace: string
  /** ms */
  now: number
  signal: AbortSignal
  /** What else is to be read, once the objects are known: logs, probes. */
  more?: (reader: Reader, found: Found) => Promise<void>
}

/**
 * All that bears on the migration of one VM, in at most about 40 requests: a few rounds, each in parallel. Only what a
 * check asks for is read; Secrets never.
 * @throws MigError: there is no such VM or migration (9), it may not be read (8), the API does not answer (1)
 */
export async function gatherVm(
  cluster: Cluster,
  reference: Reference,
  { namespace, now, signal, more }: GatherOptions,
): Promise<Gathered> {
  const permissions = createPermissions(cluster, signal)
  const reader = createReader(cluster, permissions, signal)
  const kubevirt = await readFirst(reader, permissions, namespace)
  const [found, nodes, claims] = await Promise.all([
    findSubject(reader, reference, namespace),
    reader.list<Node>(NODES),
    reader.list<Claim>(PVCS, { namespace }),
    readComponents(reader, kubevirt),
    reader.list(MIGRATION_POLICIES),
    reader.get(NAMESPACES, { name: namespace }),
    reader.list(RESOURCE_QUOTAS, { namespace }),
    reader.list(LIMIT_RANGES, { namespace }),
    reader.list(DISRUPTION_BUDGETS, { namespace }),
    reader.list(STORAGE_CLASSES),
    reader.list(STORAGE_PROFILES),
    reader.list<Pod>(PODS, { namespace, labelSelector: `${LABEL.app}=hotplug-disk` }),
  ])
  const [launchers = [], events] = await Promise.all([
    readLaunchers(reader, found),
    readEvents(reader, namespace, [
      found.name,
      ...found.migrations.map(({ metadata }) => metadata.name),
    ]),
    readSlots(reader, found),
    readVolumes(reader, found, claims ?? []),
    readRecovery(reader, found),
  ])
  const [copies] = await Promise.all([
    readCopies(cluster, reader, found, signal),
    readEvents(reader, namespace, podsWithEvents(found, launchers, events)),
    readNeighbours(reader, launchers, found, nodes ?? []),
  ])
  const holders = reader.objects.list<Event>('Event').some(isMultiAttach)
  if (holders) await reader.list(VOLUME_ATTACHMENTS)
  noteExpired(reader, found, now)
  await more?.(reader, found)
  return { evidence: { ...evidenceFrom(reader, cluster, hideNewer(found)), copies }, found }
}

interface Claim extends KubeObject {
  spec?: { volumeName?: string }
}

function readLaunchers(reader: Reader, { namespace, name, vmi }: Found) {
  const uid = vmi?.metadata.uid
  // The label with the VM's name is cut at 63 characters; without a VMI there is nothing better.
  const labelSelector =
    uid === undefined
      ? `${LABEL.app}=virt-launcher,${LABEL.vmName}=${name.slice(0, 63)}`
      : `${LABEL.createdBy}=${uid}`
  return reader.list<Pod>(PODS, { namespace, labelSelector })
}

/** Those of a VM and its VMI have one name: one request. */
async function readEvents(reader: Reader, namespace: string, names: string[]): Promise<Event[]> {
  const found = [...new Set(names)].slice(0, EVENT_NAMES).map((name) =>
    reader.list<Event>(EVENTS, {
      namespace,
      fieldSelector: `involvedObject.name=${name}`,
    }),
  )
  return (await Promise.all(found)).flatMap((events) => events ?? [])
}
const EVENT_NAMES = 8

/** Who holds slots beside it: by their target pods, as long as those have to start; from which node, by their VMIs. */
async function readSlots(reader: Reader, found: Found): Promise<void> {
  const waits = found.migrations.some((m) => ['', 'Pending'].includes(phaseOf(m)))
  if (!waits) return
  const open = reader.objects.list<Migration>(MIGRATIONS.kind).filter((m) => !isFinal(m))
  const pending = open.filter((m) => ['', 'Pending'].includes(phaseOf(m)))
  const starting = open.filter((m) => phaseOf(m) === 'Scheduling')
  const uids = [...pending, ...starting]
    .flatMap(({ metadata }) => metadata.uid ?? [])
    .slice(0, SELECTED)
  const others = open
    .filter((m) => !pending.includes(m))
    .map(({ metadata, spec }) => ({ namespace: metadata.namespace, name: spec.vmiName ?? '' }))
  const isTheirs = new Set(others.map(({ namespace, name }) => `${namespace}/${name}`))
  await Promise.all([
    reader.list<Pod>(
      PODS,
      { labelSelector: `${LABEL.migrationJobUid} in (${uids.join(',')})` },
      `${PODS.kind} of other namespaces`,
    ),
    others.length <= FEW
      ? Promise.all(others.map((at) => reader.get<Vmi>(VMIS, at, `${VMIS.kind} of others`)))
      : reader.list<Vmi>(
          VMIS,
          { keep: ({ metadata }) => isTheirs.has(`${metadata.namespace}/${metadata.name}`) },
          `${VMIS.kind} of others`,
        ),
  ])
}
/** A selector goes into the address of a request, whose length servers limit. */
const SELECTED = 50
const FEW = 6

/** The volumes behind the claims that the VM uses. */
async function readVolumes(reader: Reader, { vmi }: Found, claims: Claim[]): Promise<void> {
  const used = new Set(
    (vmi?.spec.volumes ?? []).map(
      (volume) =>
        (volume['persistentVolumeClaim'] as { claimName?: string } | undefined)?.claimName ??
        (volume['dataVolume'] as { name?: string } | undefined)?.name,
    ),
  )
  const names = claims
    .filter(({ metadata }) => used.has(metadata.name))
    .flatMap(({ spec }) => spec?.volumeName ?? [])
  await Promise.all(
    [...new Set(names)].slice(0, VOLUMES).map((name) => reader.get(PERSISTENT_VOLUMES, { name })),
  )
}
const VOLUMES = 6

/** After an interruption KubeVirt looks with a Job which volume of the VM's own state is valid. */
async function readRecovery(reader: Reader, { namespace, migrations }: Found): Promise<void> {
  const running = migrations.find((migration) => !isFinal(migration))
  if (running) await reader.get(JOBS, { namespace, name: `recover-${running.metadata.name}` })
}

/** The pods of the migrations, those that are gone included: events name them. */
function podsWithEvents({ migrations }: Found, launchers: Pod[], events: Event[]): string[] {
  const uids = new Set(migrations.map(({ metadata }) => metadata.uid))
  const targets = launchers.filter(({ metadata }) =>
    uids.has(metadata.labels?.[LABEL.migrationJobUid]),
  )
  const told = events.flatMap(
    ({ message }) =>
      /Created (?:migration target|attachment) pod (\S+)/.exec(message ?? '')?.[1] ?? [],
  )
  return [...targets.map(({ metadata }) => metadata.name), ...told.reverse()]
}

/** Which pods are on the nodes that a target pod finds no place on: what is free there depends on them. */
async function readNeighbours(
  reader: Reader,
  launchers: Pod[],
  { migrations, vmi }: Found,
  nodes: Node[],
): Promise<void> {
  const uids = new Set(migrations.filter((m) => !isFinal(m)).map(({ metadata }) => metadata.uid))
  const unplaced = launchers.some(
    ({ metadata, spec }) => uids.has(metadata.labels?.[LABEL.migrationJobUid]) && !spec.nodeName,
  )
  if (!unplaced) return
  const others = nodes
    .map(({ metadata }) => metadata.name)
    .filter((n) => n !== vmi?.status?.nodeName)
  if (others.length > NEIGHBOURS)
    reader.gap({
      what: `${PODS.kind} of ${others.length - NEIGHBOURS} nodes`,
      why: 'too-large',
      detail: 'what is free there is not known: only the scheduler’s own message is',
    })
  await Promise.all(
    others
      .slice(0, NEIGHBOURS)
      .map((node) =>
        reader.list<Pod>(
          PODS,
          { fieldSelector: `spec.nodeName=${node}` },
          `${PODS.kind} of other namespaces`,
        ),
      ),
  )
}
const NEIGHBOURS = 8

function isMultiAttach({ message }: Event): boolean {
  return message?.includes('Multi-Attach') === true
}

/** Kubernetes drops events after an hour: that there is none then says nothing. */
function noteExpired(reader: Reader, { migrations }: Found, now: number): void {
  const [newest] = [...migrations].sort(newestFirst)
  const born = timeOf(newest?.metadata.creationTimestamp)
  if (born === undefined || now - born < EVENT_TTL) return
  reader.gap({
    what: `${EVENTS.kind} of the first part`,
    why: 'expired',
    detail: `${newest?.metadata.name} was created more than an hour ago, and Kubernetes keeps events for an hour`,
  })
}
const EVENT_TTL = 3_600_000

/** Of a migration that was named, what came after it is none of its business. */
function hideNewer({ named, namespace, name }: Found): (object: KubeObject) => boolean {
  if (!named) return () => true
  return (object) => {
    const other = object as Migration
    const isOwn = other.metadata.namespace === namespace && other.spec?.vmiName === name
    if (object.kind !== MIGRATIONS.kind || !isOwn) return true
    if (other.metadata.name === named.metadata.name) return true
    return newestFirst(named, other) < 0 && (isFinal(other) || !isFinal(named))
  }
}
