import { isStatus } from '../../cluster/api-error.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { get } from '../../cluster/objects.ts'
import { EXIT, MigError } from '../../errors.ts'
import { isAskedToMove } from '../../kubevirt/asked-to-move.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import { isFinal, phaseOf } from '../../kubevirt/migration.ts'
import {
  DISRUPTION_BUDGETS,
  EVENTS,
  LIMIT_RANGES,
  MIGRATION_POLICIES,
  MIGRATIONS,
  NAMESPACES,
  NODES,
  PODS,
  PVCS,
  pathOf,
  RESOURCE_QUOTAS,
  STORAGE_CLASSES,
  STORAGE_PROFILES,
  VMIS,
} from '../../kubevirt/resources.ts'
import type { Event, KubeObject, Migration, Pod, Vmi } from '../../kubevirt/types.ts'
import type { Evidence } from '../evidence.ts'
import { evidenceFrom } from './gathered.ts'
import { createPermissions } from './permissions.ts'
import { createReader, type Reader } from './reader.ts'
import { newestFirst } from './subject.ts'
import { readComponents, readFirst } from './surroundings.ts'

export interface Scope {
  /** Undefined: all namespaces. */
  namespace: string | undefined
  /** Only what leaves this node or comes to it. */
  node?: string | undefined
  signal: AbortSignal
  /** What else is to be read, once the objects are known: probes. */
  more?: (reader: Reader, migrations: Migration[]) => Promise<void>
}

/**
 * What is not over or did not end well, and what that names: page by page, so that a cluster's history and its VMs that
 * rest cost no memory.
 * @throws MigError: there is no such node (9)
 */
export async function gatherUnwell(
  cluster: Cluster,
  { namespace, node, signal, more }: Scope,
): Promise<Evidence> {
  const permissions = createPermissions(cluster, signal)
  const reader = createReader(cluster, permissions, signal)
  const kubevirt = await readFirst(reader, permissions, namespace ?? cluster.namespace)
  const [{ told: migrations, earlier }, nodes] = await Promise.all([
    readMigrations(reader, namespace),
    reader.list(NODES),
    readComponents(reader, kubevirt),
    reader.list(MIGRATION_POLICIES),
    reader.list(STORAGE_CLASSES),
    reader.list(STORAGE_PROFILES),
  ])
  if (node !== undefined && nodes && !nodes.some(({ metadata }) => metadata.name === node))
    throw new MigError(EXIT.notFound, `no node "${node}"`, {
      hint: '"kubectl get nodes" lists them',
    })
  const told = new Set(
    migrations.map(({ metadata, spec }) => key(metadata.namespace, spec.vmiName)),
  )
  const vmis =
    (await reader.list<Vmi>(VMIS, {
      namespace,
      keep: (vmi) => told.has(key(vmi.metadata.namespace, vmi.metadata.name)) || isAskedToMove(vmi),
    })) ?? []
  const spaces = new Set([...migrations, ...vmis].map(({ metadata }) => metadata.namespace))
  if (spaces.size > 0) {
    const [launchers] = await Promise.all([
      readLaunchers(reader, namespace, vmis, migrations),
      readNamespaced(reader, namespace, spaces),
    ])
    await readEvents(reader, namespace, [
      ...migrations,
      ...vmis,
      ...launchers,
      ...goneTargets(migrations, launchers),
    ])
  }
  if (namespace !== undefined && spaces.size === 0)
    await isThere(cluster, reader, namespace, signal)
  await more?.(reader, migrations)
  const kept = new Set<KubeObject>([...migrations, ...earlier])
  return evidenceFrom(
    reader,
    cluster,
    (object) => object.kind !== MIGRATIONS.kind || kept.has(object),
  )
}

/**
 * Nothing is wrong in a namespace that does not exist. Where nobody may say whether it does, that is a gap.
 * @throws MigError: it does not (9)
 */
async function isThere(
  cluster: Cluster,
  reader: Reader,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await get<KubeObject>(cluster, NAMESPACES, { name }, { signal })
  } catch (err) {
    if (isStatus(err, 404))
      throw new MigError(EXIT.notFound, `no namespace "${name}"`, {
        hint: '"kubectl get namespaces" lists them',
      })
    if (!(err instanceof MigError) || signal.aborted) throw err
    reader.gap({
      what: NAMESPACES.kind,
      why: isStatus(err, 403) ? 'forbidden' : 'unreadable',
      detail: `whether there is a namespace "${name}" is not known: ${err.message}`,
    })
  }
}

/** Target pods that are there no more: their events tell who ended them. */
function goneTargets(migrations: Migration[], launchers: Pod[]): KubeObject[] {
  const there = new Set(launchers.map(({ metadata }) => metadata.name))
  return migrations.flatMap(({ metadata: { namespace }, status }) => {
    const name = status?.migrationState?.targetPod
    if (name === undefined || there.has(name)) return []
    return [{ metadata: { name, ...(namespace && { namespace }) } }]
  })
}

interface Migrations {
  /** Those that are not over, of all namespaces since limits count over all; and of each VM the newest, if that failed. */
  told: Migration[]
  /** What went before those that are not over: a back-off counts them. */
  earlier: Migration[]
}

async function readMigrations(reader: Reader, namespace: string | undefined): Promise<Migrations> {
  const newest = new Map<string, Migration>()
  const succeeded: Migration[] = []
  const keep = (migration: Migration) => {
    const { metadata, spec } = migration
    if (namespace !== undefined && metadata.namespace !== namespace) return !isFinal(migration)
    const vm = key(metadata.namespace, spec.vmiName)
    const known = newest.get(vm)
    if (!known || newestFirst(migration, known) < 0) newest.set(vm, outline(migration))
    if (phaseOf(migration) !== 'Succeeded') return true
    succeeded.push(outline(migration))
    return false
  }
  const all =
    namespace === undefined
      ? await reader.list<Migration>(MIGRATIONS, { keep })
      : ((await reader.list<Migration>(
          MIGRATIONS,
          { keep },
          `${MIGRATIONS.kind} of other namespaces`,
        )) ?? (await reader.list<Migration>(MIGRATIONS, { namespace, keep })))
  const vmOf = ({ metadata, spec }: Migration) => key(metadata.namespace, spec.vmiName)
  const told = (all ?? []).filter(
    (migration) =>
      !isFinal(migration) || newest.get(vmOf(migration))?.metadata.name === migration.metadata.name,
  )
  const open = new Set(told.filter((migration) => !isFinal(migration)).map(vmOf))
  const isEarlier = (migration: Migration) => isFinal(migration) && open.has(vmOf(migration))
  for (const migration of succeeded.filter(isEarlier))
    reader.objects.add({ ...migration, kind: MIGRATIONS.kind }, pathOf(MIGRATIONS, { namespace }))
  return { told, earlier: reader.objects.list<Migration>(MIGRATIONS.kind).filter(isEarlier) }
}

/** Of those that only come and go by: whose they are, what made them, and when they came to their end. */
function outline({ metadata, spec, status }: Migration): Migration {
  const { name, namespace, uid, creationTimestamp, annotations } = metadata
  const { phase, phaseTransitionTimestamps } = status ?? {}
  return {
    metadata: {
      name,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(creationTimestamp && { creationTimestamp }),
      ...(annotations && { annotations }),
    },
    spec: { ...(spec.vmiName && { vmiName: spec.vmiName }) },
    status: {
      ...(phase && { phase }),
      ...(phaseTransitionTimestamps && { phaseTransitionTimestamps }),
    },
  }
}

/** The pods of VMs and of migrations that are told; by label while they are few. */
async function readLaunchers(
  reader: Reader,
  namespace: string | undefined,
  vmis: Vmi[],
  migrations: Migration[],
): Promise<Pod[]> {
  const uids = new Set([...vmis, ...migrations].map(({ metadata }) => metadata.uid))
  const of = ({ metadata }: Pod, label: string) => uids.has(metadata.labels?.[label])
  const some = vmis.length <= FEW ? vmis.map(({ metadata }) => metadata.uid).join(',') : ''
  const labelSelector = some
    ? `${LABEL.createdBy} in (${some})`
    : `${LABEL.app} in (virt-launcher,hotplug-disk)`
  const keep = (pod: Pod) => of(pod, LABEL.createdBy) || of(pod, LABEL.migrationJobUid)
  return (await reader.list<Pod>(PODS, { namespace, labelSelector, keep })) ?? []
}
/** A selector goes into the address of a request, whose length servers limit. */
const FEW = 50

async function readNamespaced(
  reader: Reader,
  namespace: string | undefined,
  spaces: Set<string | undefined>,
): Promise<void> {
  const keep = ({ metadata }: KubeObject) => spaces.has(metadata.namespace)
  await Promise.all([
    reader.list(RESOURCE_QUOTAS, { namespace, keep }),
    reader.list(LIMIT_RANGES, { namespace, keep }),
    reader.list(PVCS, { namespace, keep }),
    reader.list(DISRUPTION_BUDGETS, { namespace, keep }),
    namespace === undefined
      ? reader.list(NAMESPACES, { keep: ({ metadata }) => spaces.has(metadata.name) })
      : reader.get(NAMESPACES, { name: namespace }),
  ])
}

/** Of few objects name by name; of many, all events are read once, and those of others dropped. */
async function readEvents(
  reader: Reader,
  namespace: string | undefined,
  objects: KubeObject[],
): Promise<void> {
  const names = new Set(
    objects.flatMap((object) => [
      object.metadata.name,
      (object as Migration).spec?.vmiName ?? object.metadata.name,
    ]),
  )
  if (names.size > NAMED) {
    const keep = ({ involvedObject: { name = '' } }: Event) =>
      names.has(name) || name.startsWith('hp-volume-')
    await reader.list<Event>(EVENTS, { namespace, keep })
    return
  }
  await Promise.all(
    [...names].map((name) =>
      reader.list<Event>(EVENTS, { namespace, fieldSelector: `involvedObject.name=${name}` }),
    ),
  )
}
const NAMED = 8

function key(namespace: string | undefined, name: string | undefined): string {
  return `${namespace ?? ''}/${name ?? ''}`
}
