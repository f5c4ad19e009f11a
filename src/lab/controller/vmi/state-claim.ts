import type { Cluster } from '../../../cluster/cluster.ts'
import { create } from '../../../cluster/objects.ts'
import { hasPersistentState, stateClaimOf } from '../../../kubevirt/backend-storage.ts'
import { PVCS } from '../../../kubevirt/resources.ts'
import type { Vmi } from '../../../kubevirt/types.ts'
import { newStateClaim, stateReadiness } from '../../../rules/backend-storage.ts'
import type { VolumeClaim } from '../../../rules/volume-binding.ts'
import { type Caches, stateStorage } from '../caches.ts'
import type { Expectations } from '../expectations.ts'
import { messageOf } from '../migration/perform.ts'
import type { Failure } from './conditions.ts'

/** The claim of a VM's TPM and EFI, which has to be there before its first launcher. */
export interface StateClaims {
  of(vmi: Vmi): VolumeClaim | undefined
  /** Makes the claim where it is missing. Whether a launcher may be made now. @throws Error that is tried again */
  ready(key: string, vmi: Vmi): Promise<boolean>
  /** What of it keeps the VMI from starting. @param err what the attempt failed with */
  failure(vmi: Vmi, err?: unknown): Failure | undefined
}

/** What a claim that was made is known by until the cache has it. */
export const STATE_CLAIM = 'state-claim'

export function createStateClaims(
  cluster: Cluster,
  caches: Caches,
  expectations: Expectations,
): StateClaims {
  const of = ({ metadata }: Vmi) => stateClaimOf(metadata, caches.claims.list())
  const readiness = (claim: VolumeClaim) => stateReadiness(claim, caches.storageClasses.list())

  async function ready(key: string, vmi: Vmi): Promise<boolean> {
    if (!hasPersistentState(vmi)) return true
    const claim = of(vmi)
    if (!claim) {
      await make(key, vmi)
      return false
    }
    const state = readiness(claim)
    if (typeof state === 'object') throw new Error(state.error)
    return state === 'ready'
  }

  async function make(key: string, vmi: Vmi): Promise<void> {
    const { namespace = '' } = vmi.metadata
    const wanted = newStateClaim(vmi, stateStorage(caches))
    if (!wanted.ok) throw new Error(wanted.error)
    expectations.expect(key, STATE_CLAIM)
    try {
      const body = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...wanted.claim }
      await create(cluster, PVCS, body, { namespace })
    } catch (err) {
      expectations.settle(key, STATE_CLAIM)
      throw err
    }
  }

  function failure(vmi: Vmi, err?: unknown): Failure | undefined {
    if (!hasPersistentState(vmi)) return undefined
    const claim = of(vmi)
    if (!claim)
      return err === undefined
        ? undefined
        : { reason: 'FailedBackendStorageCreate', message: messageOf(err) }
    const state = readiness(claim)
    if (state === 'ready') return undefined
    return state === 'pending'
      ? { reason: 'BackendStorageNotReady', message: 'PVC pending' }
      : { reason: 'FailedBackendStorageProbe', message: state.error }
  }

  return { of, ready, failure }
}
