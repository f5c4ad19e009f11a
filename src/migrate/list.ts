import type { Cluster } from '../cluster/cluster.ts'
import { pages } from '../cluster/objects.ts'
import { LABEL } from '../kubevirt/labels.ts'
import { enteredAt, isFinal, phaseOf, timeOf } from '../kubevirt/migration.ts'
import { MIGRATIONS } from '../kubevirt/resources.ts'
import type { Migration, Pod } from '../kubevirt/types.ts'
import { readClusterView, readTargetPods, readVmis } from './cluster-view.ts'
import { readProgress } from './copy-metrics.ts'
import { latestFirst } from './find.ts'
import { toGap } from './gap.ts'
import type { Look } from './look.ts'
import { firstSight, isCopying, type Observed } from './observed.ts'
import { selectorError } from './selector-error.ts'
import { isWaiting, waitingFor } from './waiting.ts'

export interface ListOptions {
  /** Undefined: all namespaces. */
  namespace: string | undefined
  labelSelector?: string | undefined
  /** Also those that ended long ago. */
  all?: boolean
}

/** A migration that ended is shown for an hour, as long as its events last. ms. */
const RECENT = 3_600_000

/**
 * The migrations in flight, and those that ended within the last hour. Read page by page: of a cluster's history only
 * what is shown is kept. Those that wait are told with the limit that holds them, those that copy with their progress.
 */
export async function listMigrations(
  cluster: Cluster,
  options: ListOptions,
  { clock, signal }: Look,
): Promise<Observed[]> {
  const now = clock.now()
  const kept: Migration[] = []
  const keep = (migration: Migration) => isShown(migration, options, now)
  try {
    const all = pages<Migration>(cluster, MIGRATIONS, { ...options, keep, signal })
    for await (const { items } of all) kept.push(...items)
  } catch (err) {
    throw selectorError(err, options.labelSelector)
  }
  const active = kept.filter((migration) => !isFinal(migration))
  const vmis = new Map(
    (await readVmis(cluster, active, signal)).map((vmi) => [keyOf(vmi.metadata), vmi]),
  )
  const pods = await readStartingPods(cluster, active, signal)
  const observed = kept.sort(inOrder).map((migration) => {
    const { namespace, uid } = migration.metadata
    const vmi = vmis.get(keyOf({ namespace, name: migration.spec.vmiName ?? '' }))
    return { ...firstSight(migration, vmi), targetPod: pods.get(uid) }
  })
  const view = observed.some(isWaiting)
    ? await readClusterView(cluster, signal).catch((err) => void toGap('slots', err, signal))
    : undefined
  const more = observed.map(async (one) => {
    if (view && isWaiting(one)) return { ...one, waiting: waitingFor(view, one.migration, one.vmi) }
    if (!isCopying(one)) return one
    const progress = await readProgress(cluster, one, { clock, signal }).catch(
      (err) => void toGap('progress', err, signal),
    )
    return { ...one, progress }
  })
  return Promise.all(more)
}

export function isShown(migration: Migration, { all }: { all?: boolean }, now: number): boolean {
  if (all || !isFinal(migration)) return true
  const ended =
    enteredAt(migration, phaseOf(migration)) ?? timeOf(migration.metadata.creationTimestamp)
  return ended === undefined || now - ended < RECENT
}

/** Why a target pod does not start, only the pod itself says. */
async function readStartingPods(
  cluster: Cluster,
  active: Migration[],
  signal: AbortSignal,
): Promise<Map<string | undefined, Pod>> {
  const starting = active.filter((migration) => phaseOf(migration) === 'Scheduling')
  const pods = await readTargetPods(cluster, starting, signal).catch(
    (err) => void toGap('pods', err, signal),
  )
  return new Map(pods?.map((pod) => [pod.metadata.labels?.[LABEL.migrationJobUid], pod]))
}

/** By namespace; in each those in flight first, then the latest; those of one second by VM, vm-7 before vm-10. */
export function inOrder(a: Migration, b: Migration): number {
  const [x = '', y = ''] = [a.metadata.namespace, b.metadata.namespace]
  return x === y ? latestFirst(a, b) : x < y ? -1 : 1
}

function keyOf({ namespace = '', name }: { namespace?: string | undefined; name: string }): string {
  return `${namespace}/${name}`
}
