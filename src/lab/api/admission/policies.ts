import type { KubeVirt, MigrationPolicy } from '../../../kubevirt/types.ts'
import { admitKubeVirtUpdate, admitPolicy } from '../../../rules/admission-policy.ts'
import { gateOn } from './gates.ts'
import type { AdmissionHook, Reader } from './hook.ts'
import { refuse, refuseWithAll } from './refuse.ts'

/** KubeVirt's webhooks on migration policies and on its own CR (rules/admission-policy.ts). */
export const policyAdmission: AdmissionHook = {
  handles: ({ kind, operation, subresource }) =>
    kind.kind === 'MigrationPolicy' && operation !== 'DELETE' && subresource === '',
  validate({ object, oldObject, read }) {
    const decision = admitPolicy(
      object as unknown as MigrationPolicy,
      oldObject as unknown as MigrationPolicy | undefined,
      migrationGates(read),
    )
    refuseWithAll(decision)
  },
}

export const kubevirtAdmission: AdmissionHook = {
  handles: ({ kind, operation, subresource }) =>
    kind.kind === 'KubeVirt' && operation === 'UPDATE' && subresource === '',
  validate({ object, oldObject, read }) {
    const [old, next] = [oldObject, object] as unknown as [KubeVirt, KubeVirt]
    refuse(admitKubeVirtUpdate(old, next, migrationGates(read)), { namesField: true })
  },
}

function migrationGates(read: Reader) {
  return {
    stallDetection: gateOn(read, 'MigrationStallDetection'),
    downtimeTuning: gateOn(read, 'MigrationDowntimeTuning'),
  }
}
