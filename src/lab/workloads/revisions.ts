import { isStatus } from '../../cluster/api-error.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { create, patch, remove } from '../../cluster/objects.ts'
import { CONTROLLER_REVISIONS } from '../../kubevirt/resources.ts'
import { controlledBy, isControlledBy, templateHash } from './template-pods.ts'
import type { ControllerRevision, DaemonSet } from './types.ts'

type Owner = DaemonSet & { apiVersion: string; kind: string }

const HASH = 'controller-revision-hash'

/**
 * Keeps what `kubectl rollout history` shows of a DaemonSet and `rollout undo` goes back to: the template of each of its
 * generations, the newest with the highest number, and of those that nobody uses no more than the set wants.
 * @param known all revisions; @param used hashes of templates that pods are of
 */
export async function keepRevisions(
  cluster: Cluster,
  set: Owner,
  known: ControllerRevision[],
  used: ReadonlySet<string>,
): Promise<void> {
  const own = known
    .filter((one) => isControlledBy(one, set))
    .sort((a, b) => a.revision - b.revision)
  const hash = templateHash(set.spec.template)
  const newest = own.at(-1)
  const current = own.find(({ metadata }) => metadata.labels?.[HASH] === hash)
  const next = (newest?.revision ?? 0) + 1
  if (!current) return await add(cluster, set, hash, next)
  if (current !== newest)
    await patch(cluster, CONTROLLER_REVISIONS, current.metadata, { revision: next }, 'merge')
  const old = own.filter((one) => one !== current && !used.has(one.metadata.labels?.[HASH] ?? ''))
  const surplus = old.slice(0, Math.max(0, old.length - (set.spec.revisionHistoryLimit ?? 10)))
  for (const { metadata } of surplus) await remove(cluster, CONTROLLER_REVISIONS, metadata, {})
}

async function add(cluster: Cluster, set: Owner, hash: string, revision: number): Promise<void> {
  const { metadata, spec } = set
  const object: ControllerRevision = {
    apiVersion: 'apps/v1',
    kind: CONTROLLER_REVISIONS.kind,
    metadata: {
      name: `${metadata.name}-${hash}`,
      labels: { ...spec.template.metadata?.labels, [HASH]: hash },
      ...(metadata.annotations && { annotations: metadata.annotations }),
      ownerReferences: [controlledBy(set)],
    },
    data: { spec: { template: { ...spec.template, $patch: 'replace' } } },
    revision,
  }
  try {
    await create(cluster, CONTROLLER_REVISIONS, object, { namespace: metadata.namespace ?? '' })
  } catch (err) {
    // The cache does not know it yet.
    if (!isStatus(err, 409)) throw err
  }
}
