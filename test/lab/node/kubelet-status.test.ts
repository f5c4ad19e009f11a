import { expect, test } from 'vitest'
import type { Container, Pod } from '../../../src/kubevirt/types.ts'
import { conditions, endedStatus, runningStatus } from '../../../src/lab/node/kubelet-status.ts'

const now = '2026-01-01T00:00:00Z'
const at = { now, podIP: '10.244.1.2', hostIP: '127.77.1.1' }

function pod(containers: Partial<Container>[], initContainers: Partial<Container>[] = []): Pod {
  const complete = (list: Partial<Container>[]) =>
    list.map((one, i) => ({ name: `c${i}`, image: 'registry/x:v1', ...one }))
  return {
    metadata: { name: 'p' },
    spec: { containers: complete(containers), initContainers: complete(initContainers) },
  }
}

test('a pod that runs has its addresses, and each container is ready, restartable init containers too', () => {
  const status = runningStatus(pod([{}], [{ restartPolicy: 'Always' }, {}]), at)
  expect(status).toMatchObject({
    phase: 'Running',
    startTime: now,
    podIP: '10.244.1.2',
    podIPs: [{ ip: '10.244.1.2' }],
    hostIP: '127.77.1.1',
    containerStatuses: [
      {
        name: 'c0',
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: now } },
      },
    ],
  })
  expect(status.initContainerStatuses).toMatchObject([
    { name: 'c0', ready: true, started: true, state: { running: { startedAt: now } } },
    { name: 'c1', ready: true, started: false, state: { terminated: { exitCode: 0 } } },
  ])
  expect(status.containerStatuses?.[0]?.imageID).toMatch(/^registry\/x@sha256:[0-9a-f]{64}$/)
  expect(status.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'PodReadyToStartContainers=True',
    'Initialized=True',
    'Ready=True',
    'ContainersReady=True',
  ])
})

test.each([
  [0, 'Succeeded', 'Completed'],
  [1, 'Failed', 'Error'],
  [137, 'Failed', 'Error'],
])('a pod whose containers end with %d has %s', (exitCode, phase, reason) => {
  const status = endedStatus(pod([{}]), exitCode, now)
  expect(status.phase).toBe(phase)
  expect(status.containerStatuses?.[0]).toMatchObject({
    ready: false,
    state: { terminated: { exitCode, reason, finishedAt: now } },
  })
  expect(status.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'PodReadyToStartContainers=False',
    'Initialized=True',
    'Ready=False',
    'ContainersReady=False',
  ])
})

test('every image has the digest that a target pod is pinned to, and one named by its digest keeps it', () => {
  const digest = `registry/disk@sha256:${'a'.repeat(64)}`
  const status = runningStatus(pod([{}], [{ image: 'host:5000/disk:v1' }, { image: digest }]), at)
  expect(status.initContainerStatuses?.map(({ imageID }) => imageID)).toEqual([
    expect.stringMatching(/^host:5000\/disk@sha256:[0-9a-f]{64}$/),
    digest,
  ])
})

test('a pod is ready when its readiness gates are open', () => {
  const gate = 'kubevirt.io/virtual-machine-unpaused'
  const gated = pod([{}])
  gated.spec.readinessGates = [{ conditionType: gate }]
  const ready = (one: Pod) => conditions(one, now).find(({ type }) => type === 'Ready')
  gated.status = { phase: 'Running' }
  expect(ready(gated)).toMatchObject({
    status: 'False',
    reason: 'ReadinessGatesNotReady',
    message: `corresponding condition of pod readiness gate "${gate}" does not exist.`,
  })
  gated.status.conditions = [{ type: gate, status: 'False' }]
  expect(ready(gated)?.message).toBe(
    `the status of pod readiness gate "${gate}" is not "True", but False`,
  )
  const since = '2025-01-01T00:00:00Z'
  const before = { type: 'Ready', status: 'True' as const, lastTransitionTime: since }
  gated.status.conditions = [{ type: gate, status: 'True' }, before]
  expect(ready(gated)).toEqual({ ...before, lastProbeTime: null })
})

const both = { cpu: '1', memory: '1Gi' }
test.each<[string, Partial<Container>[]]>([
  ['BestEffort', [{}]],
  ['Burstable', [{ resources: { requests: { cpu: '1' } } }]],
  ['Burstable', [{ resources: { requests: both, limits: both } }, {}]],
  ['Guaranteed', [{ resources: { requests: both, limits: both } }]],
])('%s', (qosClass, containers) => {
  expect(runningStatus(pod(containers), at).qosClass).toBe(qosClass)
})
