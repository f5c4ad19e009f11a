import { describe, expect, test } from 'vitest'
import type { Condition, Pod, Vmi } from '../../../src/kubevirt/types.ts'
import { imageFailure, noClaim, withFailure } from '../../../src/lab/controller/vmi/conditions.ts'
import { podPatch, unpausedCondition } from '../../../src/lab/controller/vmi/pod-sync.ts'
import { nextVmi } from '../../../src/lab/controller/vmi/status.ts'
import { LAUNCHER_IMAGE } from '../../../src/rules/launcher-pod.ts'
import { condition, launcher, vmi } from '../../rules/objects.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const TIME = '2026-01-01T00:00:00Z'

/** A launcher of vm-1 on a node. */
function pod(name: string, nodeName?: string, status: Pod['status'] = { phase: 'Pending' }): Pod {
  const made = launcher(name)
  return {
    ...made,
    metadata: {
      ...made.metadata,
      labels: { 'kubevirt.io': 'virt-launcher' },
      ownerReferences: [
        {
          apiVersion: '',
          kind: 'VirtualMachineInstance',
          name: 'vm-1',
          uid: 'uid-vm-1',
          controller: true,
        },
      ],
    },
    spec: { ...made.spec, ...(nodeName ? { nodeName } : {}) },
    status,
  }
}
const up: Pod['status'] = {
  phase: 'Running',
  conditions: [condition('Ready', 'True')],
  containerStatuses: [{ name: 'compute', state: { running: {} } }],
}
const of = (phase: string, status: Vmi['status'] = {}): Vmi => {
  const { nodeName: _, ...rest } = vmi().status ?? {}
  return { ...vmi(), status: { ...rest, phase, conditions: [], ...status } }
}
const ready = (conditions: Condition[] | undefined) =>
  conditions?.find(({ type }) => type === 'Ready')

describe('a VMI goes', () => {
  test.each<[string, string, Vmi, Pod[]]>([
    ['from Pending', 'Pending', of('Pending'), []],
    ['to Scheduling when its pod is there', 'Scheduling', of('Pending'), [pod('a')]],
    ['no further while it starts', 'Scheduling', of('Scheduling'), [pod('a', 'node-1')]],
    ['to Scheduled when the pod runs', 'Scheduled', of('Scheduling'), [pod('a', 'node-1', up)]],
    [
      'to Failed when the pod fails before',
      'Failed',
      of('Scheduling'),
      [pod('a', 'node-1', { phase: 'Failed' })],
    ],
    ['to Failed when its only pod is gone', 'Failed', of('Running', { nodeName: 'node-1' }), []],
    [
      'on while a pod is there that could tell',
      'Running',
      of('Running', { nodeName: 'node-1' }),
      [pod('a', 'node-1', { phase: 'Failed' })],
    ],
    ['nowhere once it has ended', 'Succeeded', of('Succeeded'), []],
  ])('%s: %s', (_, phase, before, pods) => {
    const { status } = nextVmi(before, pods, NOW)
    expect(status?.phase).toBe(phase)
    expect(status?.phaseTransitionTimestamps).toEqual([{ phase, phaseTransitionTimestamp: TIME }])
  })
})

test('on the way to Scheduled it gets node, label and image', () => {
  const before = of('Scheduling')
  const next = nextVmi(before, [pod('a', 'node-1', up)], NOW)
  expect(next.metadata.labels).toEqual({ app: 'vm-1', 'kubevirt.io/nodeName': 'node-1' })
  expect(next.status).toMatchObject({
    nodeName: 'node-1',
    activePods: { 'uid-a': 'node-1' },
    migrationTransport: 'Unix',
  })
})

test('all pods that are there are active ones, by node or yet without', () => {
  const pods = [pod('a', 'node-1', { phase: 'Succeeded' }), pod('b')]
  const { status } = nextVmi(of('Running', { nodeName: 'node-1' }), pods, NOW)
  expect(status?.activePods).toEqual({ 'uid-a': 'node-1', 'uid-b': '' })
})

describe('it is ready', () => {
  const running = of('Running', { nodeName: 'node-1' })
  const leaving = pod('a', 'node-1', up)
  leaving.metadata.deletionTimestamp = TIME
  test.each<[string, Vmi, Pod[], Partial<Condition>]>([
    ['as its pod is', running, [pod('a', 'node-1', up)], { status: 'True' }],
    [
      'not without a pod',
      running,
      [],
      { reason: 'PodNotExists', message: 'virt-launcher pod has not yet been scheduled' },
    ],
    [
      'not with one that goes',
      running,
      [leaving],
      { reason: 'PodTerminating', message: 'virt-launcher pod is terminating' },
    ],
    [
      'not with one that has ended',
      running,
      [pod('a', 'node-1', { phase: 'Failed' })],
      { reason: 'PodTerminating', message: 'virt-launcher pod is terminating' },
    ],
    [
      'not before the guest runs',
      of('Scheduled', { nodeName: 'node-1' }),
      [pod('a', 'node-1', up)],
      { reason: 'GuestNotRunning', message: 'Guest VM is not reported as running' },
    ],
    [
      'not when the pod does not say',
      running,
      [pod('a', 'node-1', { phase: 'Running' })],
      {
        reason: 'PodConditionMissing',
        message: 'virt-launcher pod is missing the Ready condition',
      },
    ],
  ])('%s', (_, before, pods, expected) => {
    expect(ready(nextVmi(before, pods, NOW).status?.conditions)).toMatchObject(expected)
  })

  test('what is so already keeps its times', () => {
    const known = { ...condition('Ready', 'True'), lastTransitionTime: 'long ago' }
    const before = of('Running', { nodeName: 'node-1', conditions: [known] })
    expect(nextVmi(before, [pod('a', 'node-1', up)], NOW).status?.conditions).toEqual([known])
  })
})

test('a VM that is marked says so, until it is not', () => {
  const marked = nextVmi(of('Running', { evacuationNodeName: 'node-1' }), [], NOW)
  expect(marked.status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'EvictionRequested',
      status: 'True',
      reason: 'EvictionRequested',
      message: 'VMI is marked for eviction',
    }),
  )
  const { evacuationNodeName: _, ...status } = marked.status ?? {}
  const cleared = nextVmi({ ...marked, status }, [], NOW)
  expect(cleared.status?.conditions?.map(({ type }) => type)).not.toContain('EvictionRequested')
})

test('more sockets than the guest has are a hotplug; virt-handler ends it', () => {
  const topology = { currentCPUTopology: { cores: 1, sockets: 1, threads: 1 } }
  const wanting = of('Running', topology)
  wanting.spec = { domain: { cpu: { cores: 1, sockets: 2, threads: 1, maxSockets: 4 } } }
  const types = (before: Vmi) =>
    nextVmi(before, [pod('a', 'node-1', up)], NOW).status?.conditions?.map((c) => c.type)
  expect(types(wanting)).toContain('HotVCPUChange')
  expect(types(of('Running', topology))).not.toContain('HotVCPUChange')
})

test('more memory than was asked of the guest is one too, where there is room', () => {
  const memory = { memory: { guestRequested: '1Gi' } }
  const wanting = (guest: string, maxGuest?: string): Vmi => ({
    ...of('Running', memory),
    spec: { domain: { memory: { guest, ...(maxGuest ? { maxGuest } : {}) } } },
  })
  const types = (before: Vmi) =>
    nextVmi(before, [pod('a', 'node-1', up)], NOW).status?.conditions?.map((c) => c.type)
  expect(types(wanting('2Gi', '4Gi'))).toContain('HotMemoryChange')
  expect(types(wanting('1024Mi', '4Gi'))).not.toContain('HotMemoryChange')
  expect(types(wanting('2Gi'))).not.toContain('HotMemoryChange')
  const denied = condition('HotMemoryChange', 'False')
  const before = { ...wanting('2Gi', '4Gi') }
  before.status = { ...before.status, conditions: [denied] }
  const after = nextVmi(before, [pod('a', 'node-1', up)], NOW).status?.conditions
  expect(after).toContainEqual(denied)
})

test('a memory hotplug takes the cluster’s overhead along', () => {
  const configuration = { additionalGuestMemoryOverheadRatio: '1.5' }
  const kubevirt = { metadata: { name: 'kubevirt' }, spec: { configuration } }
  const grown = of('Running', { memory: { guestRequested: '1Gi' } })
  grown.spec = { domain: { memory: { guest: '2Gi', maxGuest: '4Gi' } } }
  const label = (before: Vmi) =>
    nextVmi(before, [pod('a', 'node-1', up)], NOW, { kubevirt }).metadata.labels?.[
      'kubevirt.io/memory-hotplug-overhead-ratio'
    ]
  expect(label(grown)).toBe('1.5')
  expect(label(of('Running'))).toBeUndefined()
})

test('an ended VMI is let go when its last pod is gone', () => {
  const ended = of('Succeeded')
  ended.metadata.finalizers = ['kubevirt.io/foregroundDeleteVirtualMachine', 'other']
  const after = (pods: Pod[]) => nextVmi(ended, pods, NOW).metadata.finalizers
  expect(after([pod('a')])).toHaveLength(2)
  expect(after([])).toEqual(['other'])
})

test('how it ended is seen before it goes', () => {
  const running = of('Running', { nodeName: 'node-1' })
  running.metadata.finalizers = ['kubevirt.io/foregroundDeleteVirtualMachine']
  running.metadata.deletionTimestamp = TIME
  const failed = nextVmi(running, [], NOW)
  expect(failed.status?.phase).toBe('Failed')
  expect(failed.metadata.finalizers).toHaveLength(1)
  expect(nextVmi(failed, [], NOW).metadata.finalizers).toEqual([])
})

test('one whose VM is gone waits for nobody', () => {
  const ended = of('Succeeded')
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'vm-1', uid: 'vm' }
  ended.metadata.finalizers = ['kubevirt.io/virtualMachineControllerFinalize']
  ended.metadata.ownerReferences = [{ ...owner, controller: true }]
  const after = (uid: string) =>
    nextVmi(ended, [], NOW, { vm: { metadata: { name: 'vm-1', uid }, spec: {} } }).metadata
      .finalizers
  expect(after('vm')).toHaveLength(1)
  expect(after('another')).toEqual([])
})

describe('its pod', () => {
  const labelled = {
    ...vmi(),
    metadata: { ...vmi().metadata, labels: { 'kubevirt.io/nodeName': 'node-1' } },
  }

  test('gets the label of its node, and loses one that is out of date', () => {
    const before = pod('a')
    before.metadata.labels = { app: 'vm-1', 'kubevirt.io/outdatedLauncherImage': '' }
    expect(podPatch(labelled, before)).toEqual([
      { op: 'test', path: '/metadata/labels', value: before.metadata.labels },
      {
        op: 'replace',
        path: '/metadata/labels',
        value: { app: 'vm-1', 'kubevirt.io/nodeName': 'node-1' },
      },
    ])
    before.metadata.labels = { 'kubevirt.io/nodeName': 'node-1' }
    expect(podPatch(labelled, before)).toEqual([])
  })

  test('is told of an eviction, and that it is over', () => {
    const evicted = { ...vmi(), status: { evacuationNodeName: 'node-1' } }
    const path = '/metadata/annotations/descheduler.alpha.kubernetes.io~1eviction-in-progress'
    const before = pod('a', 'node-1', up)
    expect(podPatch(evicted, before)).toEqual([{ op: 'add', path, value: 'true' }])
    before.metadata.annotations = { 'descheduler.alpha.kubernetes.io/eviction-in-progress': 'true' }
    expect(podPatch(evicted, before)).toEqual([])
    expect(podPatch(vmi(), before)).toEqual([{ op: 'remove', path }])
  })

  test('has its readiness gate open unless the VM is paused', () => {
    const paused = vmi({ status: { conditions: [condition('Paused', 'True')] } })
    const open = unpausedCondition(vmi(), pod('a'), NOW)!
    expect(open).toMatchObject({ status: 'True', reason: 'NotPaused' })
    const opened = pod('a', 'node-1', { conditions: [open] })
    expect(unpausedCondition(vmi(), opened, NOW)).toBeUndefined()
    expect(unpausedCondition(paused, opened, NOW)).toMatchObject({
      status: 'False',
      reason: 'Paused',
    })
    expect(unpausedCondition(paused, pod('a'), NOW)).toBeUndefined()
  })
})

test('a VMI whose claim is missing says so, and that no node takes it', () => {
  const failed = noClaim('demo', 'root')
  const told = withFailure(of('Pending'), failed, NOW).status?.conditions
  const message = 'PVC demo/root does not exist, waiting for it to appear'
  expect(told).toMatchObject([
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
    { type: 'Synchronized', status: 'False', reason: 'FailedPvcNotFound', message },
  ])
})

describe('while its pod starts it says', () => {
  const starting = of('Scheduling')
  test('that no node takes it', () => {
    const unbound = pod('a', undefined, {
      phase: 'Pending',
      conditions: [condition('PodScheduled', 'False', 'Unschedulable', 'no node')],
    })
    const told = nextVmi(starting, [unbound], NOW)
    expect(told.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'PodScheduled', status: 'False', message: 'no node' }),
    )
    const bound = nextVmi(told, [pod('a', 'node-1')], NOW)
    expect(bound.status?.conditions?.map(({ type }) => type)).toEqual(['Ready'])
  })

  test('nothing of its node as long as its CPUs are not its own', () => {
    const dedicated = {
      ...starting,
      spec: { ...starting.spec, domain: { cpu: { dedicatedCpuPlacement: true } } },
    }
    const burstable = pod('a', 'node-1', { ...up, qosClass: 'Burstable' })
    expect(nextVmi(dedicated, [burstable], NOW).status?.phase).toBe('Scheduling')
    const guaranteed = pod('a', 'node-1', { ...up, qosClass: 'Guaranteed' })
    expect(nextVmi(dedicated, [guaranteed], NOW).status?.phase).toBe('Scheduled')
  })

  test('that an image can’t be pulled', () => {
    const waiting = { reason: 'ErrImagePull', message: 'not there' }
    const status = { containerStatuses: [{ name: 'compute', state: { waiting } }] }
    const failure = imageFailure(pod('a', 'node-1', status))
    expect(failure).toEqual(waiting)
    const told = withFailure(starting, failure, NOW)
    expect(told.status?.conditions).toEqual([
      expect.objectContaining({ type: 'Synchronized', status: 'False', ...waiting }),
    ])
    expect(withFailure(told, undefined, NOW).status?.conditions).toEqual([])
  })
})

test('an old launcher is labelled, until the VM runs in a new one', () => {
  const old = pod('a', 'node-1', up)
  old.spec.containers = [{ name: 'compute', image: 'registry/virt-launcher:v1.8.0' }]
  const told = nextVmi(of('Running', { nodeName: 'node-1' }), [old], NOW)
  expect(told.metadata.labels).toHaveProperty(['kubevirt.io/outdatedLauncherImage'], '')
  expect(told.status?.launcherContainerImageVersion).toBe('registry/virt-launcher:v1.8.0')
  const current = {
    ...old,
    spec: { ...old.spec, containers: [{ name: 'compute', image: LAUNCHER_IMAGE }] },
  }
  expect(nextVmi(told, [current], NOW).metadata.labels).toEqual({ app: 'vm-1' })
})
