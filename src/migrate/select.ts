import { isStatus } from '../cluster/api-error.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { pages } from '../cluster/objects.ts'
import { together } from '../cluster/together.ts'
import { EXIT, MigError } from '../errors.ts'
import type { Reference } from '../kubevirt/reference.ts'
import { type Resource, VMIS, VMS } from '../kubevirt/resources.ts'
import type { KubeObject, Vm, Vmi } from '../kubevirt/types.ts'
import { byNumber } from './by-number.ts'
import type { Lookup } from './find.ts'
import { selectorError } from './selector-error.ts'

/**
 * The running VMs of a label, which the VM or its VMI may have: labels of one need not be the other's. In the order of
 * their names, vm-2 before vm-10.
 * @throws MigError: it selects none (9), it is no selector (2), not permitted (8)
 */
export async function selectVms(
  cluster: Cluster,
  labelSelector: string,
  { namespace, signal }: Lookup,
): Promise<Reference[]> {
  const options = { namespace, labelSelector, signal }
  const [vmis, vms] = await together([
    namesOf<Vmi>(cluster, VMIS, options, ({ status }) => !FINAL.includes(status?.phase ?? '')),
    // Whoever may read VMIs need not be allowed to read VMs.
    namesOf<Vm>(cluster, VMS, options, ({ status }) => status?.['created'] === true).catch(
      (err) => {
        if (isStatus(err, 403)) return []
        throw err
      },
    ),
  ])
  const names = [...new Set([...vmis, ...vms])].sort(byNumber)
  if (names.length === 0)
    throw new MigError(
      EXIT.notFound,
      `-l ${labelSelector} selects no running VM in namespace "${namespace}"`,
      { hint: `"kubectl get vm,vmi -n ${namespace} --show-labels" shows what there is` },
    )
  return names.map((name) => ({ kind: undefined, name, text: name }))
}

const FINAL = ['Succeeded', 'Failed']

async function namesOf<T extends KubeObject>(
  cluster: Cluster,
  resource: Resource,
  options: { namespace: string; labelSelector: string; signal?: AbortSignal | undefined },
  keep: (object: T) => boolean,
): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const { items } of pages<T>(cluster, resource, options))
      names.push(...items.filter(keep).map(({ metadata }) => metadata.name))
  } catch (err) {
    throw selectorError(err, options.labelSelector)
  }
  return names
}
