import { describe, expect, test } from 'vitest'
import type { Pod, Vmi } from '../../src/kubevirt/types.ts'
import { answerEviction, evictionMessage } from '../../src/rules/eviction.ts'
import { condition, vmi } from './objects.ts'

const pod = (
  labels = { 'kubevirt.io': 'virt-launcher' },
  nodeName = 'node-1',
  phase = 'Running',
): Pod => ({
  metadata: { name: 'p', namespace: 'demo', labels },
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
  const answer = answerEviction(rest[0] ?? pod(), of, undefined, rest[1])
  return answer.answer === 'allow' ? answer.why : answer.refusal.message
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
    ['a pod without a VM', undefined, 'no-vm'],
  ])('%s', (_, of, expected) => {
    expect(summary(of)).toBe(expected)
  })

  test('the first time it marks the VM, and says whether the descheduler asked', () => {
    const answer = (by?: string) => answerEviction(pod(), strategy('LiveMigrate'), undefined, by)
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
    expect(answerEviction(pod(), strategy(undefined), cluster).answer).toBe('deny')
  })

  test('a target pod stays, a finished one goes, an attachment pod goes with its VM', () => {
    expect(summary(strategy('LiveMigrate'), pod(undefined, 'node-2'))).toBe(
      'Eviction request for target Pod',
    )
    expect(summary(strategy('LiveMigrate'), pod(undefined, 'node-1', 'Succeeded'))).toBe('finished')
    const attachment = pod({ 'kubevirt.io': 'hotplug-disk' })
    expect(summary(strategy('None'), attachment)).toBe(
      'cannot evict hotplug pod: p associated with running vmi: vm-1 in namespace demo',
    )
    expect(summary(vmi({ status: { phase: 'Failed' } }), attachment)).toBe('finished')
  })
})
