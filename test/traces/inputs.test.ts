import { expect, test } from 'vitest'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { KubeObject } from '../../src/kubevirt/types.ts'
import type { ReplayLab } from './lab.ts'
import { createNames } from './names.ts'
import { perform } from './perform.ts'
import type { Input } from './scenario.ts'
import { waitsFor } from './waiting.ts'

/** A lab with one object of each name, in which nothing has been written for a while. */
function labWith(objects: Record<string, object>, requests: object[] = []): ReplayLab {
  const cluster = { request: async (request: object) => void requests.push(request) }
  return {
    names: createNames(0),
    as: async () => cluster as unknown as Cluster,
    find: (_: unknown, name: string) => objects[name] as KubeObject | undefined,
    quietFor: () => 1000,
    controllers: { idle: () => true },
  } as unknown as ReplayLab
}

const report = (status: object): Input => ({
  t: 0,
  by: 'virt-handler@node-1',
  op: 'merge',
  kind: 'VirtualMachineInstance',
  name: 'vm-1',
  body: { status },
})

test.each([
  ['Scheduling', 'VMI vm-1 to be Scheduled'],
  ['Scheduled', undefined],
  // What runs is told again, say after a pause.
  ['Running', undefined],
])('a handler that reports a running domain, of a VMI that is %s', (phase, wanted) => {
  const vmi = { metadata: { name: 'vm-1' }, status: { phase, nodeName: 'node-1' } }
  expect(waitsFor(report({ phase: 'Running' }), undefined, labWith({ 'vm-1': vmi }))).toBe(wanted)
})

test('an eviction has its name, and what else who asks for it says', async () => {
  const requests: object[] = []
  const annotations = { 'requested-by': 'sigs.k8s.io/descheduler' }
  const input: Input = {
    t: 0,
    by: 'user',
    op: 'evict',
    kind: 'Pod',
    name: 'pod-1',
    body: { metadata: { annotations }, deleteOptions: { dryRun: ['All'] } },
  }
  expect(await perform(input, labWith({}, requests))).toBeUndefined()
  expect(requests).toEqual([
    {
      method: 'POST',
      path: '/api/v1/namespaces/demo/pods/pod-1/eviction',
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { namespace: 'demo', name: 'pod-1', annotations },
        deleteOptions: { dryRun: ['All'] },
      },
    },
  ])
})
