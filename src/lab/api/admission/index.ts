import type { KindTable } from '../kind-table.ts'
import type { Store } from '../store.ts'
import type { AdmissionHook } from './hook.ts'
import { limitRangeAdmission } from './limit-range.ts'
import { migrationAdmission } from './migrations.ts'
import { podDefaultsAdmission } from './pod-defaults.ts'
import { podSecurityAdmission } from './pod-security.ts'
import { kubevirtAdmission, policyAdmission } from './policies.ts'
import { quotaAdmission } from './quota.ts'
import { vmiAdmission } from './vmis.ts'
import { vmAdmission } from './vms.ts'

/** In the order in which they are asked; the quota is last, since it charges what it lets in. */
export function ownAdmission(store: Store, kinds: KindTable): AdmissionHook[] {
  return [
    migrationAdmission,
    vmAdmission,
    vmiAdmission,
    policyAdmission,
    kubevirtAdmission,
    podDefaultsAdmission,
    limitRangeAdmission,
    podSecurityAdmission,
    quotaAdmission(store, kinds.find('', 'resourcequotas')!),
  ]
}
