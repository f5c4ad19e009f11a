import { expect, test } from 'vitest'
import type { Pod } from '../../../../src/kubevirt/types.ts'
import { failedPull } from '../../../../src/lab/node/faults/image-pull.ts'

const NOW = '2026-11-29T12:00:00Z'
const image = 'registry/virt-launcher:v1.9.0'
const pod: Pod = {
  metadata: { name: 'virt-launcher-vm-1-abcde' },
  spec: { containers: [{ name: 'compute', image }] },
}
const WHY = 'reading manifest v1.9.0 in registry/virt-launcher: manifest unknown'

test('an attempt fails with ErrImagePull, then the kubelet holds back', () => {
  const attempt = failedPull(pod, 0, NOW)
  expect(attempt.status.containerStatuses?.[0]).toMatchObject({
    ready: false,
    state: { waiting: { reason: 'ErrImagePull', message: WHY } },
  })
  expect(attempt.events.map(([, reason, message]) => `${reason}: ${message}`)).toEqual([
    `Pulling: Pulling image "${image}"`,
    `Failed: Failed to pull image "${image}": ${WHY}`,
    'Failed: Error: ErrImagePull',
  ])
  const held = failedPull(pod, 1, NOW)
  expect(held.status.containerStatuses?.[0]?.state?.waiting).toEqual({
    reason: 'ImagePullBackOff',
    message: `Back-off pulling image "${image}": ErrImagePull: ${WHY}`,
  })
  expect(held.status.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Ready',
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [compute]',
    }),
  )
})

test('each wait is twice as long as the one before, up to five minutes', () => {
  expect([1, 3, 5, 21].map((looks) => failedPull(pod, looks, NOW).againAfter)).toEqual([
    10_000, 20_000, 40_000, 300_000,
  ])
})

test('the first of several containers is the one that waits for its image', () => {
  const initContainers = [{ name: 'disk', image }]
  const { status } = failedPull({ ...pod, spec: { ...pod.spec, initContainers } }, 0, NOW)
  expect(status.initContainerStatuses?.[0]?.state?.waiting?.reason).toBe('ErrImagePull')
  expect(status.containerStatuses?.[0]?.state?.waiting?.reason).toBe('PodInitializing')
})
