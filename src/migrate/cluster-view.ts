import type { Cluster } from '../cluster/cluster.ts'
import { getIfExists, list, pages } from '../cluster/objects.ts'
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
  const [kubevirt, migrations] = await Promise.all([
    readKubeVirt(cluster, signal),
    kept<Migration>(cluster, MIGRATIONS, (migration) => !isFinal(migration), { signal }),
  ])
  const [vmis, pods] = await Promise.all([
    readVmis(cluster, migrations, signal),
    readTargetPods(cluster, migrations, signal),
  ])
  return { migrations, vmis, pods, kubevirt }
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
const FEW = 20

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

/** From Scheduling on a migration counts anyway; only a pending one counts by its pod. */
async function readTargetPods(
  cluster: Cluster,
  migrations: Migration[],
  signal: AbortSignal | undefined,
): Promise<Pod[]> {
  const pending = new Set(
    migrations
      .filter((migration) => ['', 'Pending'].includes(phaseOf(migration)))
      .map(({ metadata }) => metadata.uid),
  )
  if (pending.size === 0) return []
  const isTarget = ({ metadata }: Pod) => pending.has(metadata.labels?.[LABEL.migrationJobUid])
  return kept<Pod>(cluster, PODS, isTarget, { labelSelector: LABEL.migrationJobUid, signal })
}

async function kept<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  keep: (object: T) => boolean,
  options: { labelSelector?: string; signal?: AbortSignal | undefined },
): Promise<T[]> {
  const all: T[] = []
  for await (const page of pages<T>(cluster, resource, options))
    all.push(...page.items.filter(keep))
  return all
}
