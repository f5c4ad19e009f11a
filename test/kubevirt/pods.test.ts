import { expect, test } from 'vitest'
import { currentPodOf } from '../../src/kubevirt/pods.ts'
import type { Pod, Vmi } from '../../src/kubevirt/types.ts'

const vmi: Vmi = { metadata: { name: 'vm', uid: 'U' }, spec: {}, status: { nodeName: 'n1' } }

function pod(name: string, second: number, phase = 'Running', nodeName = 'n1'): Pod {
  return {
    metadata: {
      name,
      creationTimestamp: `2026-01-01T00:00:0${second}Z`,
      labels: { 'kubevirt.io': 'virt-launcher' },
      ownerReferences: [
        { apiVersion: 'kubevirt.io/v1', kind: 'X', name: 'vm', uid: 'U', controller: true },
      ],
    },
    spec: { nodeName, containers: [] },
    status: { phase },
  }
}

test.each<[string, Pod[], string | undefined]>([
  ['the newest one on its node', [pod('a', 1), pod('b', 2), pod('c', 3, 'Running', 'n2')], 'b'],
  ['of one second the one that lives', [pod('a', 1, 'Succeeded'), pod('b', 1)], 'b'],
  ['in whatever order', [pod('b', 1), pod('a', 1, 'Succeeded')], 'b'],
  ['the newest even when it has ended', [pod('a', 1), pod('b', 2, 'Failed')], 'b'],
  ['none without any', [pod('c', 3, 'Running', 'n2')], undefined],
])("a VM's current pod is %s", (_, pods, name) => {
  expect(currentPodOf(vmi, pods)?.metadata.name).toBe(name)
})
