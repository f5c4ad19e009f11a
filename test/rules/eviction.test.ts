import { describe, expect, test } from 'vitest'
import type { Pod, Vmi } from '../../src/kubevirt/types.ts'
import { answerEviction, evictedVm, evictionMessage } from '../../src/rules/eviction.ts'
import { condition, vmi } from './objects.ts'

const pod = (
  labels = { 'kubevirt.io': 'virt-launcher' },
  nodeName = 'node-1',
  phase = 'Running',
): Pod => ({
  metadata: {
    name: 'p',
    namespace: 'demo',
    labels,
    annotations: { 'kubevirt.io/domain': 'vm-1' },
  },
  spec: { nodeName, containers: [] },
  status: { phase },
})
const strategy = (
  evictionStrategy: string | undefined,
  migratable = true,
  status: Vmi['status'] = {},
) =>
  vmi({
    spec: { evictionStrategy },
    status: { conditions: [condition('LiveMigratable', migratable ? 'True' : 'False')], ...status },
  })
const summary = (of: Vmi | undefined, ...rest: [Pod?, string?]) => {
  const answer = answerEviction(rest[0] ?? pod(), 'vm-1', of, undefined, rest[1])
  return answer.answer === 'allow' ? answer.why : answer.refusal.message
}
const attachment: Pod = {
  ...pod(),
  metadata: {
    name: 'p',
    namespace: 'demo',
    labels: { 'kubevirt.io': 'hotplug-disk' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'launcher', uid: 'u' }],
  },
}
const MARKED = 'Eviction triggered evacuation of VMI "demo/vm-1"'

describe('the eviction of a launcher is answered by strategy and migratability', () => {
  test.each<[string, Vmi | undefined, string]>([
    ['None', strategy('None'), 'strategy-none'],
    ['none at all', strategy(undefined), 'strategy-none'],
    ['LiveMigrate', strategy('LiveMigrate'), MARKED],
    [
      'LiveMigrate, not migratable',
      strategy('LiveMigrate', false),
      'VMI vm-1 is configured with an eviction strategy but is not live-migratable',
    ],
    ['LiveMigrateIfPossible', strategy('LiveMigrateIfPossible'), MARKED],
    [
      'LiveMigrateIfPossible, not migratable',
      strategy('LiveMigrateIfPossible', false),
      'not-migratable',
    ],
    ['External, not migratable', strategy('External', false), MARKED],
    [
      'one that is marked already',
      strategy('LiveMigrate', true, { nodeName: 'node-1', evacuationNodeName: 'node-1' }),
      `Evacuation in progress: ${MARKED}`,
    ],
    [
      'a VM that is not there',
      undefined,
      'kubevirt failed getting the vmi: virtualmachineinstances.kubevirt.io "vm-1" not found',
    ],
  ])('%s', (_, of, expected) => {
    expect(summary(of)).toBe(expected)
  })

  test('the first time it marks the VM, and says whether the descheduler asked', () => {
    const answer = (by?: string) =>
      answerEviction(pod(), 'vm-1', strategy('LiveMigrate'), undefined, by)
    expect(answer()).toMatchObject({ mark: { node: 'node-1', descheduler: false } })
    expect(answer('sigs.k8s.io/descheduler')).toMatchObject({ mark: { descheduler: true } })
    const first = answer()
    expect(first.answer === 'deny' && evictionMessage(first)).toBe(
      `admission webhook "virt-launcher-eviction-interceptor.kubevirt.io" denied the request: ${MARKED}`,
    )
    expect(first.answer === 'deny' && first.refusal.code).toBe(429)
  })

  test('the cluster’s strategy holds where the VM has none', () => {
    const cluster = {
      metadata: { name: 'k' },
      spec: { configuration: { evictionStrategy: 'LiveMigrate' } },
    }
    expect(answerEviction(pod(), 'vm-1', strategy(undefined), cluster).answer).toBe('deny')
  })

  test('a target pod stays, an attachment pod goes with its VM', () => {
    expect(summary(strategy('LiveMigrate'), pod(undefined, 'node-2'))).toBe(
      'Eviction request for target Pod',
    )
    expect(summary(strategy('None'), attachment)).toBe(
      'cannot evict hotplug pod: p associated with running vmi: vm-1 in namespace demo',
    )
    expect(summary(undefined, attachment)).toBe('no-vm')
  })
})

test('a pod is a VM’s as long as its launcher runs', () => {
  const ended = pod(undefined, 'node-1', 'Succeeded')
  expect(evictedVm(pod(), undefined)).toBe('vm-1')
  expect(evictedVm(ended, undefined)).toBeUndefined()
  expect(evictedVm(attachment, pod())).toBe('vm-1')
  expect(evictedVm(attachment, ended)).toBeUndefined()
  expect(evictedVm(attachment, undefined)).toBeUndefined()
  expect(evictedVm(pod({ 'kubevirt.io': 'virt-handler' }), undefined)).toBeUndefined()
  expect(answerEviction(ended, undefined, undefined, undefined).answer).toBe('allow')
})
