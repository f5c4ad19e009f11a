import { parseQuantity } from '../kubevirt/quantity.ts'
import type { KubeVirt, MigrationPolicy } from '../kubevirt/types.ts'
import { type Admission, admissionOf, invalid, type Refusal } from './refusal.ts'

const POLICY = 'migration-policy-validator.kubevirt.io'
const KUBEVIRT = 'kubevirt-validator.kubevirt.io'

const DOWNTIME =
  'maxDowntimeMs cannot be modified without enabling the MigrationStallDetection or MigrationDowntimeTuning feature gate'

export interface MigrationGates {
  stallDetection: boolean
  downtimeTuning: boolean
}

/** May this policy be written (fact sheet control-plane.md §3.3)? `old` is what it replaces, if anything. */
export function admitPolicy(
  policy: MigrationPolicy,
  old: MigrationPolicy | undefined,
  gates: MigrationGates,
): Admission {
  const { spec } = policy
  const blockers: Refusal[] = []
  if (Number(spec.completionTimeoutPerGiB) < 0) blockers.push(negative('completionTimeoutPerGiB'))
  const bandwidth = parseQuantity(spec.bandwidthPerMigration)
  if (bandwidth && bandwidth.nano < 0n) blockers.push(negative('bandwidthPerMigration'))
  if (spec.maxDowntimeMs !== old?.spec.maxDowntimeMs && !canTuneDowntime(gates))
    blockers.push(invalid('downtime-gate', POLICY, DOWNTIME, 'spec.maxDowntimeMs'))
  return admissionOf(blockers)
}

/** A change of the cluster-wide maximal downtime needs the same gates. */
export function admitKubeVirtUpdate(
  old: KubeVirt,
  changed: KubeVirt,
  gates: MigrationGates,
): Admission {
  const before = old.spec.configuration?.migrations?.maxDowntimeMs
  const after = changed.spec.configuration?.migrations?.maxDowntimeMs
  if (before === after || canTuneDowntime(gates)) return { admit: true }
  const field = 'spec.configuration.migrations.maxDowntimeMs'
  return admissionOf([invalid('downtime-gate', KUBEVIRT, DOWNTIME, field)])
}

function canTuneDowntime(gates: MigrationGates): boolean {
  return gates.stallDetection || gates.downtimeTuning
}

function negative(field: string): Refusal {
  return invalid('negative', POLICY, 'must not be negative', `spec.${field}`)
}
