import { describe, expect, test } from 'vitest'
import type { Pod } from '../../src/kubevirt/types.ts'
import {
  claimBinding,
  claimObstacle,
  isHeld,
  type StorageView,
  type Volume,
  type VolumeClaim,
} from '../../src/rules/volume-binding.ts'

const claim = (spec: VolumeClaim['spec'] = {}, annotations = {}): VolumeClaim => ({
  metadata: { name: 'data', namespace: 'demo', uid: 'u1', annotations },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'now',
    resources: { requests: { storage: '2Gi' } },
    ...spec,
  },
  status: { phase: 'Pending' },
})

const volume = (name: string, spec: Volume['spec'] = {}, phase = 'Available'): Volume => ({
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
    capacity: { storage: '2Gi' },
    storageClassName: 'now',
    ...spec,
  },
  status: { phase },
})

const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' }
const classes = [
  { metadata: { name: 'now', annotations: isDefault }, provisioner: 'p' },
  { metadata: { name: 'late' }, provisioner: 'p', volumeBindingMode: 'WaitForFirstConsumer' },
]

const decide = (of: VolumeClaim, more: Partial<StorageView> = {}) =>
  claimBinding(of, { classes, volumes: [], pods: [], ...more })

const consumer = (spec: object, phase = 'Pending') =>
  ({
    metadata: { name: 'launcher', namespace: 'demo' },
    spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }], ...spec },
    status: { phase },
  }) as unknown as Pod

describe('a claim', () => {
  test('that names no class takes the newest default, and one of the class "" none', () => {
    const { storageClassName: _, ...open } = claim().spec
    const unclassed = { ...claim(), spec: open }
    expect(decide(unclassed)).toEqual({ kind: 'take-class', name: 'now' })
    const newer = {
      metadata: {
        name: 'newer',
        annotations: isDefault,
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
    }
    expect(decide(unclassed, { classes: [...classes, newer] })).toMatchObject({ name: 'newer' })
    const none = {
      kind: 'wait',
      type: 'Normal',
      reason: 'FailedBinding',
      message: 'no persistent volumes available for this claim and no storage class is set',
    }
    expect(decide(claim({ storageClassName: '' }))).toEqual(none)
    expect(decide(unclassed, { classes: [] })).toEqual(none)
  })

  test('is provisioned at once, unless its class waits or is not there', () => {
    expect(decide(claim())).toMatchObject({ kind: 'provision', provisioner: 'p' })
    expect(decide(claim({ storageClassName: 'nope' }))).toEqual({
      kind: 'wait',
      type: 'Warning',
      reason: 'ProvisioningFailed',
      message: 'storageclass.storage.k8s.io "nope" not found',
    })
  })

  test('of a class that waits follows its first pod to its node', () => {
    const late = claim({ storageClassName: 'late' })
    expect(decide(late)).toMatchObject({
      reason: 'WaitForFirstConsumer',
      message: 'waiting for first consumer to be created before binding',
    })
    expect(decide(late, { pods: [consumer({})] })).toMatchObject({
      reason: 'WaitForPodScheduled',
      message: 'waiting for pod launcher to be scheduled',
    })
    const placed = consumer({ nodeName: 'node-1' })
    expect(decide(late, { pods: [placed] })).toEqual({ kind: 'select-node', node: 'node-1' })
    const ended = consumer({ nodeName: 'node-1' }, 'Succeeded')
    expect(decide(late, { pods: [ended] })).toMatchObject({ reason: 'WaitForFirstConsumer' })
    const known = claim(
      { storageClassName: 'late' },
      { 'volume.kubernetes.io/selected-node': 'node-1' },
    )
    expect(decide(known)).toMatchObject({ kind: 'provision' })
  })

  test('takes the smallest free volume that fits before one is made', () => {
    const volumes = [
      volume('large', { capacity: { storage: '10Gi' } }),
      volume('fits', { capacity: { storage: '3Gi' } }),
      volume('small', { capacity: { storage: '1Gi' } }),
      volume('block', { volumeMode: 'Block' }),
      volume('read-only', { accessModes: ['ReadOnlyMany'] }),
      volume('other-class', { storageClassName: 'late' }),
      volume('taken', { claimRef: { namespace: 'demo', name: 'other', uid: 'u2' } }),
      volume('released', {}, 'Released'),
    ]
    expect(decide(claim(), { volumes })).toMatchObject({
      kind: 'bind',
      volume: { metadata: { name: 'fits' } },
    })
    expect(decide(claim(), { volumes: volumes.slice(2) })).toMatchObject({ kind: 'provision' })
  })

  test('that names its volume waits for that one', () => {
    const named = claim({ volumeName: 'mine' })
    expect(decide(named)).toEqual({ kind: 'wait-for-volume' })
    const kept = volume('mine', { claimRef: { namespace: 'demo', name: 'data' } })
    expect(decide(named, { volumes: [kept] })).toMatchObject({ kind: 'bind' })
    const others = volume('mine', { claimRef: { namespace: 'demo', name: 'data', uid: 'u0' } })
    expect(decide(named, { volumes: [others] })).toEqual({ kind: 'wait-for-volume' })
    expect(decide({ ...claim(), status: { phase: 'Bound' } })).toEqual({ kind: 'bound' })
  })
})

const UNBOUND = 'pod has unbound immediate PersistentVolumeClaims'

test.each<[string, VolumeClaim[], string | undefined]>([
  ['none', [], 'persistentvolumeclaim "data" not found'],
  ['one that waits for its volume', [claim()], UNBOUND],
  ['one of no class', [claim({ storageClassName: '' })], UNBOUND],
  ['one whose class waits for a pod', [claim({ storageClassName: 'late' })], undefined],
  [
    'one of such a class that names its volume',
    [claim({ storageClassName: 'late', volumeName: 'v' })],
    UNBOUND,
  ],
  ['one that is bound', [{ ...claim(), status: { phase: 'Bound' } }], undefined],
  [
    'one that is lost',
    [{ ...claim({ volumeName: 'v' }), status: { phase: 'Lost' } }],
    'persistentvolumeclaim "data" bound to non-existent persistentvolume "v"',
  ],
  [
    'one that goes',
    [{ ...claim(), metadata: { ...claim().metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    'persistentvolumeclaim "data" is being deleted',
  ],
])('a pod is held for its claim, or not: %s', (_, claims, obstacle) => {
  expect(claimObstacle(consumer({}), { claims, classes })).toBe(obstacle)
})

test('a claim is held by a pod that has a node, whether it runs or has ended', () => {
  const on = (nodeName: string | undefined, phase: string) => [consumer({ nodeName }, phase)]
  expect(isHeld(claim(), on('node-1', 'Running'))).toBe(true)
  expect(isHeld(claim(), on('node-1', 'Succeeded'))).toBe(true)
  expect(isHeld(claim(), on(undefined, 'Pending'))).toBe(false)
})
