import type { Cluster } from '../cluster/cluster.ts'
import { get, list } from '../cluster/objects.ts'
import type { Reference } from '../kubevirt/reference.ts'
import { MIGRATION_POLICIES, NAMESPACES, RESOURCE_QUOTAS } from '../kubevirt/resources.ts'
import type { MigrationPolicy, Namespace, ResourceQuota } from '../kubevirt/types.ts'
import { readClusterView, readKubeVirt } from './cluster-view.ts'
import { findVm, type Lookup, migrationsOf } from './find.ts'
import type { Facts, Surroundings } from './forecast.ts'
import { type Gap, toGap } from './gap.ts'
import { readMatching } from './target.ts'

/** What all VMs of a namespace have in common. None of it must be readable: what is not is a gap. */
export async function readSurroundings(
  cluster: Cluster,
  { namespace, signal }: Lookup,
): Promise<Surroundings> {
  const gaps: Gap[] = []
  const optional = async <T>(what: string, read: Promise<T>): Promise<T | undefined> => {
    try {
      return await read
    } catch (err) {
      gaps.push(toGap(what, err, signal))
      return undefined
    }
  }
  const [view, kubevirt, policies, inNamespace, quotas] = await Promise.all([
    optional('migrations of other namespaces', readClusterView(cluster, signal)),
    optional('the KubeVirt CR', readKubeVirt(cluster, signal)),
    optional('migration policies', list<MigrationPolicy>(cluster, MIGRATION_POLICIES, { signal })),
    optional('the namespace', get<Namespace>(cluster, NAMESPACES, { name: namespace }, { signal })),
    optional('quotas', list<ResourceQuota>(cluster, RESOURCE_QUOTAS, { namespace, signal })),
  ])
  return { view, kubevirt, policies: policies?.items, inNamespace, quotas: quotas?.items, gaps }
}

/**
 * A VM and its migrations, which must be readable.
 * @throws MigError: no such VM (9), not permitted (8), unreachable (1)
 */
export async function readFacts(
  cluster: Cluster,
  reference: Reference,
  lookup: Lookup,
  surroundings: Promise<Surroundings>,
): Promise<Facts> {
  const { name } = reference
  const { vm, vmi } = await findVm(cluster, reference, lookup)
  const own = vmi?.spec.nodeSelector ?? {}
  const [migrations, fitting] = await Promise.all([
    migrationsOf(cluster, name, lookup),
    Object.keys(own).length > 0 ? readMatching(cluster, own, lookup.signal) : undefined,
  ])
  const { namespace } = lookup
  return { namespace, name, vm, vmi, migrations, fitting, ...(await surroundings) }
}
