import { expect, test } from 'vitest'
import type { Node, Pod, Vmi } from '../../src/kubevirt/types.ts'
import { handlerHeard, lostVmis } from '../../src/rules/node-heartbeat.ts'

const NOW = Date.parse('2026-01-01T12:00:00Z')
const MINUTE = 60_000
const node = (heartbeat?: string): Node => ({
  metadata: {
    name: 'node-1',
    ...(heartbeat && { annotations: { 'kubevirt.io/heartbeat': heartbeat } }),
  },
  spec: {},
})

test.each([
  ['just now', '2026-01-01T12:00:00Z', { heard: true, until: NOW + 5 * MINUTE }],
  ['five minutes ago', '2026-01-01T11:55:00Z', { heard: true, until: NOW }],
  ['longer ago', '2026-01-01T11:54:59Z', { heard: false }],
  ['never', undefined, { heard: true, until: undefined }],
])('a virt-handler that was last heard %s', (_, heartbeat, heard) => {
  expect(handlerHeard(node(heartbeat), NOW)).toEqual(heard)
})

const vmi = (phase: string, nodeName = 'node-1'): Vmi => ({
  metadata: { name: 'vm', namespace: 'default', uid: 'U' },
  spec: {},
  status: { phase, nodeName },
})
const pod = (phase: string, nodeName = 'node-1', uid = 'U'): Pod => ({
  metadata: {
    name: 'launcher',
    namespace: 'default',
    ownerReferences: [
      { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'vm', uid },
    ],
  },
  spec: { nodeName, containers: [] },
  status: { phase },
})

test.each<[string, Vmi, Pod[], boolean]>([
  ['runs and has no pod', vmi('Running'), [], true],
  ['waits to start and has no pod', vmi('Scheduled'), [], true],
  ['has a pod that still runs', vmi('Running'), [pod('Running')], false],
  ['has a pod that has ended', vmi('Running'), [pod('Failed')], true],
  ['has its pod elsewhere', vmi('Running'), [pod('Running', 'node-2')], true],
  ["has another's pod", vmi('Running'), [pod('Running', 'node-1', 'V')], true],
  ['has ended', vmi('Succeeded'), [], false],
  ['runs elsewhere', vmi('Running', 'node-2'), [], false],
])('a VMI of a silent node that %s', (_, one, pods, isLost) => {
  expect(lostVmis('node-1', [one], pods)).toEqual(isLost ? [one] : [])
})
