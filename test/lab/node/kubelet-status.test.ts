import { expect, test } from 'vitest'
import type { Container, Pod } from '../../../src/kubevirt/types.ts'
import { endedStatus, runningStatus } from '../../../src/lab/node/kubelet-status.ts'

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
  expect(status.initContainerStatuses).toHaveLength(1)
  expect(status.containerStatuses?.[0]?.imageID).toMatch(/^registry\/x@sha256:[0-9a-f]{64}$/)
  expect(status.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
    'Initialized=True',
    'ContainersReady=True',
    'Ready=True',
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
    'Initialized=True',
    'ContainersReady=False',
    'Ready=False',
  ])
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
