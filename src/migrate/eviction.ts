import { isStatus } from '../cluster/api-error.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { EXIT, MigError } from '../errors.ts'
import { isAtLeast, releaseOf } from '../kubevirt/defaults.ts'
import type { Vmi } from '../kubevirt/types.ts'
import { readKubeVirt } from './cluster-view.ts'
import type { Lookup } from './find.ts'

/**
 * Takes the mark of an eviction off a VMI, without which KubeVirt makes a new migration for each that is cancelled (fact
 * sheet control-plane.md §1.8, §4.2).
 * @returns the node that the VM was to leave; undefined when it was not being evicted
 * @throws MigError: release before 1.7 (9), the node is being drained by a taint (9), not permitted (8)
 */
export async function undoEviction(
  cluster: Cluster,
  vmi: Vmi | undefined,
  { dryRun, signal }: Pick<Lookup, 'signal'> & { dryRun: 'client' | 'server' | undefined },
): Promise<string | undefined> {
  const node = vmi?.status?.evacuationNodeName
  if (!vmi || !node) return undefined
  const release = releaseOf(await readKubeVirt(cluster, signal))
  if (release && !isAtLeast(release, 1, 7))
    throw new MigError(
      EXIT.notFound,
      `--undo-eviction needs KubeVirt 1.7, and this cluster runs ${release.major}.${release.minor}`,
      { hint: `before 1.7 an eviction ends when the VM has left; "kubectl uncordon ${node}"` },
    )
  if (dryRun === 'client') return node
  const { namespace = '', name } = vmi.metadata
  try {
    await cluster.request({
      method: 'PUT',
      path: `/apis/subresources.kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/virtualmachineinstances/${encodeURIComponent(name)}/evacuate/cancel`,
      body: { evacuationNodeName: node, ...(dryRun && { dryRun: ['All'] }) },
      signal,
    })
  } catch (err) {
    if (isStatus(err, 400) && /NodeDrainTaintKey/.test((err as Error).message))
      throw new MigError(
        EXIT.notFound,
        `the eviction of "${name}" cannot be undone: node "${node}" is being drained by a taint`,
        { hint: `"kubectl describe node ${node}" shows it; take it away first`, cause: err },
      )
    throw err
  }
  return node
}
