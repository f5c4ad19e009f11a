import { describe, expect, test } from 'vitest'
import type { KubeVirt, MigrationPolicy } from '../../src/kubevirt/types.ts'
import { admitKubeVirtUpdate, admitPolicy } from '../../src/rules/admission-policy.ts'

const closed = { stallDetection: false, downtimeTuning: false }
const open = { stallDetection: false, downtimeTuning: true }
const policy = (spec: MigrationPolicy['spec']): MigrationPolicy => ({
  metadata: { name: 'p' },
  spec,
})

describe('a policy', () => {
  test.each([
    [{ completionTimeoutPerGiB: -1 }, 'must not be negative', 'spec.completionTimeoutPerGiB'],
    [{ bandwidthPerMigration: '-1Mi' }, 'must not be negative', 'spec.bandwidthPerMigration'],
    [
      { maxDowntimeMs: 300 },
      'maxDowntimeMs cannot be modified without enabling the MigrationStallDetection or MigrationDowntimeTuning feature gate',
      'spec.maxDowntimeMs',
    ],
    [
      { experimental: { stallDetector: { stallMargin: 4 } } },
      'experimental.stallDetector cannot be modified without enabling the MigrationStallDetection feature gate',
      'spec.experimental.stallDetector',
    ],
  ])('%j is refused', (spec, message, field) => {
    const admission = admitPolicy(policy(spec), undefined, closed)
    expect(!admission.admit && admission.blockers).toMatchObject([{ code: 422, message, field }])
  })

  test('is admitted with nothing negative, and with a downtime where the gate is on or nothing changes', () => {
    expect(admitPolicy(policy({ bandwidthPerMigration: '0' }), undefined, closed).admit).toBe(true)
    const tuned = policy({ maxDowntimeMs: 300 })
    expect(admitPolicy(tuned, undefined, open).admit).toBe(true)
    expect(admitPolicy(tuned, tuned, closed).admit).toBe(true)
  })
})

describe('a factor of the stall detector', () => {
  const factor = (name: string, value: string) => {
    const spec = { experimental: { stallDetector: { [name]: value } } }
    const gates = { stallDetection: true, downtimeTuning: false }
    const admission = admitPolicy(policy(spec), undefined, gates)
    return admission.admit ? undefined : admission.blockers[0].message
  }

  test.each([
    ['ewmaAlpha', '0', 'must be greater than 0'],
    ['ewmaAlpha', '1.5', 'must be less than or equal to 1'],
    ['precopyPossibleFactor', '0.5', 'must be greater than or equal to 1'],
    ['patienceWindowDecayFactor', '1.5', 'must be less than or equal to 1'],
    ['completionTimeoutFactor', '0.9', 'must be greater than or equal to 1'],
    ['ewmaAlpha', '0.1234', 'invalid scalar "0.1234": must have at most 3 decimal places'],
    ['ewmaAlpha', '-1', 'invalid scalar "-1": must not be negative'],
    ['ewmaAlpha', 'much', 'invalid scalar "much"'],
  ])('%s %s is refused: %s', (name, value, message) => {
    expect(factor(name, value)).toBe(message)
  })

  test('within its range is admitted', () => {
    expect(factor('ewmaAlpha', '0.4')).toBeUndefined()
    expect(factor('patienceWindowDecayFactor', '0')).toBeUndefined()
    expect(factor('completionTimeoutFactor', '2')).toBeUndefined()
  })
})

test('all that is wrong with a policy is told at once', () => {
  const spec = { completionTimeoutPerGiB: -1, bandwidthPerMigration: '-1Mi' }
  const admission = admitPolicy(policy(spec), undefined, closed)
  expect(!admission.admit && admission.blockers.map(({ field }) => field)).toEqual([
    'spec.completionTimeoutPerGiB',
    'spec.bandwidthPerMigration',
  ])
})

test('the cluster’s maximal downtime needs a gate to be changed', () => {
  const kubevirt = (maxDowntimeMs?: number): KubeVirt => ({
    metadata: { name: 'kubevirt' },
    spec: { configuration: { migrations: maxDowntimeMs === undefined ? {} : { maxDowntimeMs } } },
  })
  expect(admitKubeVirtUpdate(kubevirt(), kubevirt(100), closed)).toMatchObject({
    admit: false,
    blockers: [{ field: 'spec.configuration.migrations.maxDowntimeMs' }],
  })
  expect(admitKubeVirtUpdate(kubevirt(), kubevirt(100), open).admit).toBe(true)
  expect(admitKubeVirtUpdate(kubevirt(100), kubevirt(100), closed).admit).toBe(true)
})
