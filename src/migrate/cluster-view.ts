import type { Cluster } from '../cluster/cluster.ts'
import { getIfExists, list, pages } from '../cluster/objects.ts'
import { together } from '../cluster/together.ts'
import { LABEL } from '../kubevirt/labels.ts'
import { isFinal, phaseOf } from '../kubevirt/migration.ts'
import { KUBEVIRTS, MIGRATIONS, PODS, type Resource, VMIS } from '../kubevirt/resources.ts'
import type { KubeObject, KubeVirt, Migration, Pod, Vmi } from '../kubevirt/types.ts'
import type { ClusterView } from '../rules/capacity.ts'

/**
 * What KubeVirt's limits count, over all namespaces: the migrations that are not final, their VMIs and target pods. Lists
 * are read page by page and only what counts is kept.
 * @throws MigError when a list is not permitted
 */
export async function readClusterView(
  cluster: Cluster,
  signal?: AbortSignal,
): Promise<ClusterView> {
  const [kubevirt, first] = await together([
    readKubeVirt(cluster, signal),
    readUnfinished(cluster, signal),
  ])
  // From Scheduling on a migration counts anyway; only a pending one counts by its pod.
  const pending = first.filter((migration) => ['', 'Pending'].includes(phaseOf(migration)))
  const pods = await readTargetPods(cluster, pending, signal)
  // Read again after the pods: with an older list, one that has ended and one that took its slot would both count.
  const migrations = pods.length > 0 ? await readUnfinished(cluster, signal) : first
  return { migrations, vmis: await readVmis(cluster, migrations, signal), pods, kubevirt }
}

/** The KubeVirt CR; every authenticated user may list it, wherever it is. Undefined when there is none. */
export async function readKubeVirt(
  cluster: Cluster,
  signal?: AbortSignal,
): Promise<KubeVirt | undefined> {
  const { items } = await list<KubeVirt>(cluster, KUBEVIRTS, { signal })
  return items[0]
}

/** Few are fetched one by one; a list of all VMs costs more only until there are many. */
const FEW = 100

/** The VMIs of these migrations. */
export async function readVmis(
  cluster: Cluster,
  migrations: Migration[],
  signal: AbortSignal | undefined,
): Promise<Vmi[]> {
  const wanted = new Map(
    migrations.map(({ metadata: { namespace = '' }, spec: { vmiName = '' } }) => [
      `${namespace}/${vmiName}`,
      { namespace, name: vmiName },
    ]),
  )
  if (wanted.size <= FEW) {
    const found = [...wanted.values()].map((at) => getIfExists<Vmi>(cluster, VMIS, at, { signal }))
    return (await Promise.all(found)).filter((vmi) => vmi !== undefined)
  }
  const isWanted = ({ metadata }: Vmi) => wanted.has(`${metadata.namespace}/${metadata.name}`)
  return kept<Vmi>(cluster, VMIS, isWanted, { signal })
}

/** The target pods of these migrations, as far as they have any. */
export async function readTargetPods(
  cluster: Cluster,
  migrations: Migration[],
  signal: AbortSignal | undefined,
): Promise<Pod[]> {
  const uids = migrations.flatMap(({ metadata }) => metadata.uid ?? [])
  const found: Pod[] = []
  for (let at = 0; at < uids.length; at += AT_ONCE) {
    const labelSelector = `${LABEL.migrationJobUid} in (${uids.slice(at, at + AT_ONCE).join(',')})`
    found.push(...(await list<Pod>(cluster, PODS, { labelSelector, signal })).items)
  }
  return found
}

/** A selector goes into the address of a request, whose length servers limit. */
const AT_ONCE = 50

function readUnfinished(cluster: Cluster, signal: AbortSignal | undefined): Promise<Migration[]> {
  return kept<Migration>(cluster, MIGRATIONS, (migration) => !isFinal(migration), { signal })
}

async function kept<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  keep: (object: T) => boolean,
  options: { signal?: AbortSignal | undefined },
): Promise<T[]> {
  const all: T[] = []
  for await (const page of pages<T>(cluster, resource, { ...options, keep }))
    all.push(...page.items)
  return all
}
