import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSchedulerMessage } from '../../src/diagnose/scheduler-message.ts'

test('each objection with its count and what it names; preemption is left out', () => {
  const message =
    "0/6 nodes are available: 1 node(s) didn't match pod anti-affinity rules, 2 Insufficient memory, 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 node(s) had volume node affinity conflict. preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling."
  expect(parseSchedulerMessage(message)).toEqual({
    total: 6,
    objections: [
      { nodes: 1, kind: 'source', text: "node(s) didn't match pod anti-affinity rules" },
      { nodes: 2, kind: 'resource', text: 'Insufficient memory', detail: 'memory' },
      {
        nodes: 1,
        kind: 'taint',
        text: 'node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }',
        detail: 'node-role.kubernetes.io/control-plane:',
      },
      { nodes: 2, kind: 'volume-affinity', text: 'node(s) had volume node affinity conflict' },
    ],
  })
})

test.each([
  ["2 node(s) didn't match Pod's node affinity/selector", 'selector'],
  ["2 node(s) didn't match node selector", 'selector'],
  ['2 node(s) were unschedulable', 'cordon'],
  ['2 node(s) had untolerated taint {node.kubernetes.io/unschedulable: }', 'cordon'],
  ['2 node(s) had untolerated taint(s)', 'taint'],
  ["2 node(s) had taint {a: b}, that the pod didn't tolerate", 'taint'],
  ['2 Insufficient devices.kubevirt.io/kvm', 'resource'],
  ["2 node(s) didn't match pod topology spread constraints", 'spread'],
  ["2 node(s) didn't match pod affinity rules", 'pod-affinity'],
  ["2 node(s) didn't satisfy existing pods anti-affinity rules", 'source'],
  ['2 Too many pods', 'pods'],
  ['2 node(s) had no available volume zone', 'volume-affinity'],
  ['2 something of a release to come', 'other'],
])('%s is of kind %s', (part, kind) => {
  expect(parseSchedulerMessage(`0/2 nodes are available: ${part}.`)?.objections).toMatchObject([
    { nodes: 2, kind },
  ])
})

test('claims are named without counts', () => {
  expect(parseSchedulerMessage('persistentvolumeclaim "d" not found')).toMatchObject({
    objections: [{ kind: 'volume-claim', detail: 'd' }],
  })
  expect(
    parseSchedulerMessage(
      '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
    ),
  ).toMatchObject({ objections: [{ kind: 'volume-claim' }] })
  // As 1.34 to 1.36 end it.
  for (const text of [
    'pod has unbound immediate PersistentVolumeClaims',
    'persistentvolumeclaim "d" not found',
  ])
    expect(parseSchedulerMessage(`0/3 nodes are available: ${text}. not found`)).toMatchObject({
      total: 3,
      objections: [{ kind: 'volume-claim', text }],
    })
  expect(parseSchedulerMessage('something else')).toBeUndefined()
})

test('any text is taken apart or refused', () => {
  fc.assert(
    fc.property(fc.string(), (tail) => {
      const parsed = parseSchedulerMessage(`0/3 nodes are available: ${tail}`)
      expect(parsed?.total).toBe(3)
    }),
  )
})
