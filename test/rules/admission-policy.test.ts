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
