import { describe, expect, test } from 'vitest'
import { formatQuantity } from '../../src/kubevirt/quantity.ts'
import type { Pod } from '../../src/kubevirt/types.ts'
import { podResources } from '../../src/rules/pod-resources.ts'
import { admitPod, usageOf, usedOf } from '../../src/rules/quota.ts'
import { launcher, quota } from './objects.ts'

const pod = launcher('virt-launcher-vm-1-abcde')

test('a launcher pod uses what its containers ask for, the console log included', () => {
  const usage = usageOf(pod)
  expect(formatQuantity(usage['requests.memory']!)).toBe('404229824')
  expect(formatQuantity(usage['requests.cpu']!)).toBe('105m')
  expect(formatQuantity(usage['cpu']!)).toBe('105m')
  expect(formatQuantity(usage['limits.memory']!)).toBe('60M')
  expect(formatQuantity(usage['pods']!)).toBe('1')
})

test('an ordinary init container counts only where it is larger than all that follow it', () => {
  const init: Pod = {
    metadata: { name: 'p' },
    spec: {
      containers: [{ name: 'a', resources: { requests: { cpu: '1', memory: '1Gi' } } }],
      initContainers: [
        { name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '500m' } } },
        { name: 'i', resources: { requests: { cpu: '2', memory: '1Mi' } } },
      ],
    },
  }
  const requests = podResources(init, 'requests')
  expect(formatQuantity(requests['cpu']!)).toBe('2500m')
  expect(formatQuantity(requests['memory']!)).toBe('1Gi')
})

describe('a quota', () => {
  test('without room refuses with Kubernetes’ text', () => {
    const decision = admitPod(pod, [
      quota(
        { 'requests.memory': '500Mi', pods: '10' },
        { 'requests.memory': '404229824', pods: '1' },
      ),
    ])
    expect(!decision.admit && decision.blockers[0].message).toBe(
      'exceeded quota: mem, requested: requests.memory=404229824, used: requests.memory=404229824, limited: requests.memory=500Mi',
    )
  })

  test('with room says what it will have used', () => {
    expect(admitPod(pod, [quota({ memory: '1Gi' }, { memory: '404229824' })])).toEqual({
      admit: true,
      charges: [{ quota: 'mem', used: { memory: '808459648' } }],
    })
  })

  test('that is exactly filled is not exceeded', () => {
    const exact = quota({ 'requests.memory': '808459648' }, { 'requests.memory': '404229824' })
    expect(admitPod(pod, [exact]).admit).toBe(true)
  })

  test('of limits obliges every container to have one', () => {
    const decision = admitPod(pod, [quota({ 'limits.cpu': '4' }, { 'limits.cpu': '0' })])
    expect(!decision.admit && decision.blockers[0].message).toBe(
      'failed quota: mem: must specify limits.cpu for: compute',
    )
  })

  test('that its controller has not come to yet holds nothing up', () => {
    expect(admitPod(pod, [quota({ pods: '0' })]).admit).toBe(true)
  })

  test('of which it is not known how much is used lets nothing in', () => {
    const decision = admitPod(pod, [quota({ pods: '10' }, {})])
    expect(!decision.admit && decision.blockers[0].message).toBe(
      'status unknown for quota: mem, resources: pods',
    )
  })

  test('of other things, or of other pods, does not matter', () => {
    expect(admitPod(pod, [quota({ services: '0', 'requests.storage': '0' })]).admit).toBe(true)
    const bestEffort = quota({ pods: '0' }, { pods: '0' })
    bestEffort.spec.scopes = ['BestEffort']
    expect(admitPod(pod, [bestEffort]).admit).toBe(true)
    bestEffort.spec.scopes = ['NotBestEffort']
    expect(admitPod(pod, [bestEffort]).admit).toBe(false)
  })

  test('of one priority class counts that class', () => {
    const critical = quota({ pods: '0' }, { pods: '0' })
    critical.spec.scopeSelector = {
      matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['critical'] }],
    }
    expect(admitPod(pod, [critical]).admit).toBe(true)
    const prior: Pod = { ...pod, spec: { ...pod.spec, priorityClassName: 'critical' } }
    expect(admitPod(prior, [critical]).admit).toBe(false)
  })
})

test('used counts living pods of the namespace, and one in deletion until its grace is over', () => {
  const now = Date.parse('2026-01-01T00:00:40Z')
  const deleted = (deletionTimestamp: string) => ({
    namespace: 'demo',
    deletionTimestamp,
    deletionGracePeriodSeconds: 30,
  })
  const pods = [
    launcher('a'),
    launcher('ended', { phase: 'Succeeded' }),
    launcher('elsewhere', { metadata: { namespace: 'other' } }),
    launcher('leaving', { metadata: deleted('2026-01-01T00:00:30Z') }),
    launcher('overdue', { metadata: deleted('2026-01-01T00:00:00Z') }),
  ]
  const limits = quota({ 'requests.memory': '1Gi', pods: '10', 'count/pods': '10', services: '5' })
  expect(usedOf(limits, pods, now)).toEqual({
    'requests.memory': '808459648',
    pods: '2',
    'count/pods': '4',
  })
})
