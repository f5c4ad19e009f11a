import { describe, expect, test } from 'vitest'
import type { Pod } from '../../src/kubevirt/types.ts'
import {
  answerByBudgets,
  budgetStatus,
  chargedStatus,
  type DisruptionBudget,
} from '../../src/rules/disruption-budget.ts'
import { condition } from './objects.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const pod = (name: string, ready = true): Pod => ({
  metadata: {
    name,
    namespace: 'demo',
    labels: { app: 'db' },
    ownerReferences: [
      { apiVersion: '', kind: 'VirtualMachineInstance', name, uid: '', controller: true },
    ],
  },
  spec: { containers: [] },
  status: { phase: 'Running', conditions: [condition('Ready', ready ? 'True' : 'False')] },
})
const budget = (spec: object, pods: Pod[] = [], more: object = {}): DisruptionBudget => {
  const made: DisruptionBudget = {
    metadata: { name: 'db', namespace: 'demo', generation: 1 },
    spec: { selector: { matchLabels: { app: 'db' } }, ...spec },
    ...more,
  }
  return { ...made, status: budgetStatus(made, pods, NOW) }
}
const three = [pod('a'), pod('b'), pod('c', false)]

describe('a budget', () => {
  test.each<[string, object, Pod[], object]>([
    [
      'lets go what is ready beyond what is needed',
      { minAvailable: 1 },
      three,
      { expectedPods: 3, currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1 },
    ],
    ['never lets go less than nothing', { minAvailable: 3 }, three, { disruptionsAllowed: 0 }],
    ['of no pods lets none go', { minAvailable: 0 }, [], { disruptionsAllowed: 0 }],
    [
      'that counts what may be missing can’t be kept for VMs',
      { maxUnavailable: 1 },
      three,
      { disruptionsAllowed: 0, conditions: [{ reason: 'SyncFailed' }] },
    ],
    [
      'without a selector covers nothing',
      { minAvailable: 1, selector: null },
      three,
      { expectedPods: 0 },
    ],
    ['with an empty one everything', { minAvailable: 1, selector: {} }, three, { expectedPods: 3 }],
  ])('%s', (_, spec, pods, status) => {
    expect(budget(spec, pods).status).toMatchObject(status)
  })

  test('counts a pod that was let go as gone, until that took too long', () => {
    const before = budget({ minAvailable: 1 }, three)
    const charged = { ...before, status: chargedStatus(before, three[0]!, NOW) }
    expect(charged.status.disruptionsAllowed).toBe(0)
    expect(budgetStatus(charged, three, NOW + 60_000)).toMatchObject({
      currentHealthy: 1,
      disruptedPods: { a: '2026-01-01T00:00:00Z' },
    })
    expect(budgetStatus(charged, three, NOW + 120_000)).toMatchObject({ currentHealthy: 2 })
    expect(budgetStatus(charged, three.slice(1), NOW).disruptedPods).toBeUndefined()
  })
})

describe('an eviction', () => {
  const violates = "Cannot evict pod as it would violate the pod's disruption budget."
  test.each<[string, Pod, DisruptionBudget[], object]>([
    ['is free without a budget', pod('a'), [], { admit: true }],
    ['uses one up', pod('a'), [budget({ minAvailable: 1 }, three)], { admit: true, charge: {} }],
    [
      'is refused where none is left',
      pod('a'),
      [budget({ minAvailable: 2 }, three)],
      {
        admit: false,
        code: 429,
        message: violates,
        cause: 'The disruption budget db needs 2 healthy pods and has 2 currently',
      },
    ],
    [
      'is put off while the budget is not measured',
      pod('a'),
      [{ ...budget({ minAvailable: 1 }), status: undefined } as unknown as DisruptionBudget],
      { code: 429, retryAfterSeconds: 10 },
    ],
    [
      'is refused where the budget can’t be kept',
      pod('a'),
      [budget({ maxUnavailable: 1 }, three)],
      {
        cause:
          'The disruption budget db does not allow evicting pods currently because it failed sync: virtualmachineinstances.kubevirt.io does not implement the scale subresource',
      },
    ],
    [
      'of a pod under two budgets is not possible',
      pod('a'),
      [budget({ minAvailable: 1 }, three), budget({ minAvailable: 1 }, three)],
      { admit: false, code: 500 },
    ],
    [
      'of a pod that is not ready harms no budget that holds',
      pod('c', false),
      [budget({ minAvailable: 2 }, three)],
      { admit: true },
    ],
    [
      'of one that does not hold only where that is allowed',
      pod('c', false),
      [budget({ minAvailable: 3, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, three)],
      { admit: true },
    ],
    [
      'of an ended pod needs no budget',
      { ...pod('a'), status: { phase: 'Succeeded' } },
      [budget({ minAvailable: 3 }, three)],
      { admit: true },
    ],
  ])('%s', (_, evicted, budgets, answer) => {
    expect(answerByBudgets(evicted, budgets)).toMatchObject(answer)
  })
})
