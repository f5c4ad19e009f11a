import { isStatus, statusOf } from '../../../cluster/api-error.ts'
import type { Cluster } from '../../../cluster/cluster.ts'
import { create, getIfExists, patch, remove } from '../../../cluster/objects.ts'
import { hasPersistentState } from '../../../kubevirt/backend-storage.ts'
import { LABEL } from '../../../kubevirt/labels.ts'
import { JOBS, PVCS } from '../../../kubevirt/resources.ts'
import type { Migration } from '../../../kubevirt/types.ts'
import { isHandedOver, separateClaims } from '../../../rules/backend-storage.ts'
import type { Job } from '../../../rules/job.ts'
import { LAUNCHER_IMAGE } from '../../../rules/launcher-pod.ts'
import { recoveryJob, recoveryJobName, recoveryOf } from '../../../rules/recovery-job.ts'
import { transitionOf } from '../../../rules/transitions.ts'
import { pointer } from './actions.ts'
import type { Situation } from './situation.ts'

/**
 * What becomes of the claims of a VM's TPM and EFI state when its migration ends (fact sheet control-plane.md §2.4): the
 * target's is the VM's from when the guest runs there, and the source's goes; after a failure it is the other way round.
 */
export async function handOverClaims(migration: Migration, cluster: Cluster): Promise<void> {
  const claims = separateClaims(migration)
  if (!claims) return
  const { namespace, name } = migration.metadata
  const label = pointer('metadata', 'labels', LABEL.migrationName)
  const owner = pointer('metadata', 'labels', LABEL.persistentStateFor)
  await patch(
    cluster,
    PVCS,
    { namespace, name: claims.target },
    [
      { op: 'test', path: label, value: name },
      { op: 'add', path: owner, value: migration.spec.vmiName },
      { op: 'remove', path: label },
    ],
    'json',
  ).catch((err) => {
    throw new Error(`failed to patch PVC: ${why(err)}`)
  })
  await deleteClaim(claims.source, migration, cluster)
}

/**
 * A target's claim that nobody needs. KubeVirt deletes it even when it has been handed over, and the source's is gone by
 * then: that would lose the VM's state, and is not done here.
 */
export async function dropTargetClaim(situation: ClaimSituation, cluster: Cluster): Promise<void> {
  const { migration, targetClaim } = situation
  const claims = separateClaims(migration)
  if (!claims || (targetClaim && isHandedOver(targetClaim, migration))) return
  await deleteClaim(claims.target, migration, cluster)
}

type ClaimSituation = Pick<Situation, 'migration' | 'targetClaim'>

/**
 * Whether a migration that broke off has succeeded after all.
 * @throws Error until it is known; it is tried again with growing delays
 */
export async function isRecovered(situation: Situation, cluster: Cluster): Promise<boolean> {
  const transition = transitionOf(situation)
  const broke = transition.kind === 'fail' && transition.interrupted
  return broke && hasPersistentState(situation.vmi) && findsTargetState(situation, cluster)
}

/**
 * A Job finds out which side has the state that counts; where it is the target's, that is handed over. What was handed
 * over already needs no Job. @throws Error until it is known
 */
export async function findsTargetState(
  { migration, targetClaim }: ClaimSituation,
  cluster: Cluster,
): Promise<boolean> {
  const claims = separateClaims(migration)
  if (!claims) return false
  if (targetClaim && isHandedOver(targetClaim, migration)) return true
  const { namespace = '', name } = migration.metadata
  const at = { namespace, name: recoveryJobName(name) }
  const job = await getIfExists<Job>(cluster, JOBS, at)
  if (!job) {
    const wanted = recoveryJob(migration, claims.source, LAUNCHER_IMAGE)
    await create(cluster, JOBS, wanted, { namespace })
    throw new Error('a migration recovery had to be initiated')
  }
  const recovery = recoveryOf(job)
  switch (recovery.found) {
    case 'target':
      await handOverClaims(migration, cluster)
      return true
    case 'source':
      return false
    case 'error':
      // It is made anew.
      await remove(cluster, JOBS, at, { propagationPolicy: 'Background' }).catch(() => {})
      throw new Error(recovery.message)
    case 'nothing-yet':
      throw new Error('migration recovery job still running')
  }
}

async function deleteClaim(name: string, { metadata }: Migration, cluster: Cluster): Promise<void> {
  await remove(cluster, PVCS, { namespace: metadata.namespace, name }).catch((err) => {
    if (!isStatus(err, 404)) throw new Error(`failed to delete PVC: ${why(err)}`)
  })
}

function why(err: unknown): string {
  return statusOf(err)?.message ?? String(err)
}
