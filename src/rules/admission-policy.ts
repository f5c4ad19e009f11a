import { sameValue } from '../kubevirt/equality.ts'
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

/**
 * May this policy be written (fact sheet control-plane.md §3.3)? `old` is what it replaces, if anything. All that is wrong
 * is told at once.
 */
export function admitPolicy(
  policy: MigrationPolicy,
  old: MigrationPolicy | undefined,
  gates: MigrationGates,
): Admission {
  const { spec } = policy
  const blockers: Refusal[] = []
  if (Number(spec.completionTimeoutPerGiB) < 0) blockers.push(negative('completionTimeoutPerGiB'))
  const downtime = spec.maxDowntimeMs
  if (downtime !== undefined && downtime !== old?.spec.maxDowntimeMs && !canTuneDowntime(gates))
    blockers.push(invalid('downtime-gate', POLICY, DOWNTIME, 'spec.maxDowntimeMs'))
  blockers.push(...stallDetectorBlockers(policy, old, gates))
  const bandwidth = parseQuantity(spec.bandwidthPerMigration)
  if (bandwidth && bandwidth.nano < 0n) blockers.push(negative('bandwidthPerMigration'))
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
  if (after === undefined || before === after || canTuneDowntime(gates)) return { admit: true }
  const field = 'spec.configuration.migrations.maxDowntimeMs'
  return admissionOf([invalid('downtime-gate', KUBEVIRT, DOWNTIME, field)])
}

function canTuneDowntime(gates: MigrationGates): boolean {
  return gates.stallDetection || gates.downtimeTuning
}

function negative(field: string): Refusal {
  return invalid('negative', POLICY, 'must not be negative', `spec.${field}`)
}

/** The texts are those of public code. */
const STALL_GATE =
  'experimental.stallDetector cannot be modified without enabling the MigrationStallDetection feature gate'
const STALL_FIELD = 'spec.experimental.stallDetector'
/** Decimal places of a factor. */
const PRECISION = 3

interface Range {
  min: number
  isOpen?: boolean
  max?: number
}

const FACTORS: Record<string, Range> = {
  ewmaAlpha: { min: 0, isOpen: true, max: 1 },
  precopyPossibleFactor: { min: 1 },
  patienceWindowDecayFactor: { min: 0, max: 1 },
  completionTimeoutFactor: { min: 1 },
}

function stallDetectorBlockers(
  { spec }: MigrationPolicy,
  old: MigrationPolicy | undefined,
  gates: MigrationGates,
): Refusal[] {
  const detector = spec.experimental?.['stallDetector'] as Record<string, unknown> | undefined
  if (!detector) return []
  const isSame = sameValue(detector, old?.spec.experimental?.['stallDetector'])
  return [
    ...(isSame || gates.stallDetection
      ? []
      : [invalid('stall-gate', POLICY, STALL_GATE, STALL_FIELD)]),
    ...Object.entries(FACTORS).flatMap(([name, range]) => {
      const value = detector[name]
      const message = value === undefined ? undefined : factorFault(String(value), range)
      return message ? [invalid('factor', POLICY, message, `${STALL_FIELD}.${name}`)] : []
    }),
  ]
}

function factorFault(text: string, { min, isOpen = false, max }: Range): string | undefined {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return `invalid scalar "${text}"`
  if (value < 0) return `invalid scalar "${text}": must not be negative`
  if (Math.abs(value - Number(value.toFixed(PRECISION))) > 1e-9)
    return `invalid scalar "${text}": must have at most ${PRECISION} decimal places`
  if (isOpen && value <= min) return `must be greater than ${min}`
  if (value < min) return `must be greater than or equal to ${min}`
  if (max !== undefined && value > max) return `must be less than or equal to ${max}`
  return undefined
}
