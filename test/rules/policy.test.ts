import { describe, expect, test } from 'vitest'
import type { KubeVirt, MigrationPolicy } from '../../src/kubevirt/types.ts'
import { configurationOf, settingsFor } from '../../src/rules/configuration.ts'
import { policyFor } from '../../src/rules/policy.ts'

function policy(
  name: string,
  vmi?: Record<string, string>,
  namespace?: Record<string, string>,
  spec: Partial<MigrationPolicy['spec']> = {},
): MigrationPolicy {
  return {
    metadata: { name },
    spec: {
      selectors: {
        ...(vmi ? { virtualMachineInstanceSelector: vmi } : {}),
        ...(namespace ? { namespaceSelector: namespace } : {}),
      },
      ...spec,
    },
  }
}
const kubevirt = (migrations: object, version = 'v1.9.0'): KubeVirt => ({
  metadata: { name: 'kubevirt' },
  spec: { configuration: { migrations } },
  status: { observedKubeVirtVersion: version },
})

describe('which policy holds', () => {
  const labels = { tier: 'gold', team: 'a' }
  const namespace = { stage: 'prod' }
  const winner = (...policies: MigrationPolicy[]) =>
    policyFor(policies, labels, namespace).winner?.policy.metadata.name

  test('the one with more matching pairs', () => {
    const policies = [policy('one', { tier: 'gold' }), policy('two', { tier: 'gold', team: 'a' })]
    expect(winner(...policies)).toBe('two')
  })
  test('among equals the one with more of them on the VM', () => {
    expect(winner(policy('a', {}, { stage: 'prod' }), policy('b', { tier: 'gold' }))).toBe('b')
  })
  test('then the smaller name', () => {
    expect(winner(policy('b', { team: 'a' }), policy('a', { tier: 'gold' }))).toBe('a')
  })
  test('empty selectors fit everything and rank last', () => {
    expect(winner(policy('all'))).toBe('all')
    expect(winner(policy('all'), policy('z', { tier: 'gold' }))).toBe('z')
  })
  test('none where a pair differs, or without selectors', () => {
    expect(winner(policy('other', { tier: 'silver' }))).toBeUndefined()
    expect(winner(policy('half', { tier: 'gold', team: 'b' }))).toBeUndefined()
    expect(winner(policy('stage', {}, { stage: 'test' }))).toBeUndefined()
    expect(winner({ metadata: { name: 'nil' }, spec: { selectors: null } })).toBeUndefined()
  })
  test('a VM without labels is held by any policy: KubeVirt skips both selectors then', () => {
    expect(policyFor([policy('p', { a: 'b' })], undefined, {}).winner).toBeDefined()
  })
})

describe('which settings hold, and who says so', () => {
  test('the release’s defaults, as recorded at a hand-off', () => {
    expect(configurationOf(settingsFor(undefined))).toEqual({
      allowAutoConverge: false,
      allowPostCopy: false,
      allowWorkloadDisruption: false,
      bandwidthPerMigration: '0',
      completionTimeoutPerGiB: 150,
      maxDowntimeMs: 900,
      nodeDrainTaintKey: 'kubevirt.io/drain',
      parallelMigrationsPerCluster: 5,
      parallelOutboundMigrationsPerNode: 2,
      progressTimeout: 150,
      unsafeMigrationOverride: false,
      utilityVolumesTimeout: 150,
    })
  })

  test('an old release had others', () => {
    const settings = settingsFor(kubevirt({}, 'v1.3.1'))
    expect(settings.completionTimeoutPerGiB).toEqual({ value: 800, from: 'default' })
    expect(settings.maxDowntimeMs).toBeUndefined()
  })

  test('before 1.5 nobody spoke of disruption', () => {
    const postCopy = policy('p', {}, {}, { allowPostCopy: true })
    expect(settingsFor(kubevirt({}, 'v1.4.0'), postCopy).allowWorkloadDisruption).toBeUndefined()
    expect(settingsFor(kubevirt({}, 'v1.5.0'), postCopy).allowWorkloadDisruption?.value).toBe(true)
  })

  test('the CR over the default, the policy over the CR', () => {
    const cluster = kubevirt({ bandwidthPerMigration: '1024Mi', completionTimeoutPerGiB: 60 })
    const settings = settingsFor(cluster, policy('p', {}, {}, { completionTimeoutPerGiB: 20 }))
    expect(settings.bandwidthPerMigration).toMatchObject({ from: 'kubevirt', name: 'kubevirt' })
    expect(settings.completionTimeoutPerGiB).toEqual({ value: 20, from: 'policy', name: 'p' })
    expect(settings.progressTimeout).toEqual({ value: 150, from: 'default' })
    expect(configurationOf(settings).bandwidthPerMigration).toBe('1Gi')
  })

  test('disruption follows post-copy where nobody speaks of it', () => {
    const postCopy = { allowPostCopy: true }
    const disruption = (migrations: object, spec: object = {}) =>
      settingsFor(kubevirt(migrations), policy('p', {}, {}, spec)).allowWorkloadDisruption
    expect(disruption(postCopy)).toEqual({ value: true, from: 'kubevirt', name: 'kubevirt' })
    expect(disruption({}, postCopy)).toEqual({ value: true, from: 'policy', name: 'p' })
    const both = { ...postCopy, allowWorkloadDisruption: false }
    expect(disruption(both)).toMatchObject({ value: false, from: 'kubevirt' })
    expect(disruption({}, both)).toMatchObject({ value: false, from: 'policy' })
  })

  test('experiments are merged field by field, and so is what has fields of its own', () => {
    const cluster = kubevirt({
      experimental: { compression: 'none', downtimeTuning: { initialMs: 100, steps: 5 } },
    })
    const downtimeTuning = { steps: 9 }
    const stallDetector = { stallMargin: 3 }
    const own = policy('p', {}, {}, { experimental: { downtimeTuning, stallDetector } })
    expect(configurationOf(settingsFor(cluster, own)).experimental).toEqual({
      compression: 'none',
      downtimeTuning: { initialMs: 100, steps: 9 },
      stallDetector,
    })
    expect(settingsFor(undefined, own).experimental?.value).toEqual({
      downtimeTuning,
      stallDetector,
    })
  })

  test('limits are not a policy’s to set', () => {
    const greedy = policy('p', {}, {}, { parallelMigrationsPerCluster: 99 } as object)
    expect(settingsFor(undefined, greedy).parallelMigrationsPerCluster?.value).toBe(5)
  })
})
