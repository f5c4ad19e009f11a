import type { Cluster } from '../../cluster/cluster.ts'
import { list } from '../../cluster/objects.ts'
import { KUBEVIRTS, MIGRATIONS, type Resource, VMIS } from '../../kubevirt/resources.ts'
import type { KubeObject } from '../../kubevirt/types.ts'
import type { Reader } from '../api/admission/hook.ts'
import type { ApiObject } from '../api/kind.ts'

/** What KubeVirt's admission looks at beside its request, as it is now: the KubeVirt CR, VMIs and migrations of a namespace. */
export async function snapshot(cluster: Cluster, namespace: string | undefined): Promise<Reader> {
  const of = (resource: Resource, at: string | undefined) =>
    list<KubeObject>(cluster, resource, at === undefined ? {} : { namespace: at })
  const [kubevirts, vmis, migrations] = await Promise.all([
    of(KUBEVIRTS, undefined),
    of(VMIS, namespace),
    of(MIGRATIONS, namespace),
  ])
  const objects = new Map([
    [KUBEVIRTS.plural, kubevirts.items],
    [VMIS.plural, vmis.items],
    [MIGRATIONS.plural, migrations.items],
  ]) as unknown as Map<string, ApiObject[]>
  const all = (plural: string, at?: string) =>
    (objects.get(plural) ?? []).filter((o) => at === undefined || o.metadata.namespace === at)
  return {
    get: ({ plural }, at, name) => all(plural, at).find((o) => o.metadata.name === name),
    list: ({ plural }, at) => all(plural, at),
  }
}

/** For what decides by its request alone. */
export const NOTHING: Reader = { get: () => undefined, list: () => [] }
