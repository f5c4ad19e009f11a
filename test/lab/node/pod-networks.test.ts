import { expect, test } from 'vitest'
import { requestedNetworks } from '../../../src/kubevirt/multus.ts'
import type { Pod } from '../../../src/kubevirt/types.ts'
import { networkStatus } from '../../../src/lab/node/pod-networks.ts'

const STATUS = 'k8s.v1.cni.cncf.io/network-status'
const pod = (networks?: string): Pod => ({
  metadata: {
    name: 'pod',
    namespace: 'default',
    uid: 'u',
    ...(networks !== undefined && {
      annotations: { 'k8s.v1.cni.cncf.io/networks': networks },
    }),
  },
  spec: { containers: [] },
})

test.each([
  ['blue', [{ name: 'blue', namespace: 'default', interface: 'net1' }]],
  ['migration@migration0', [{ name: 'migration', namespace: 'default', interface: 'migration0' }]],
  [
    'blue, infra/red@eth1',
    [
      { name: 'blue', namespace: 'default', interface: 'net1' },
      { name: 'red', namespace: 'infra', interface: 'eth1' },
    ],
  ],
  [
    '[{"name":"blue","namespace":"default","interface":"pod1","mac":"02:00:00:00:00:01"}]',
    [{ name: 'blue', namespace: 'default', interface: 'pod1', mac: '02:00:00:00:00:01' }],
  ],
  ['[{', []],
  ['', []],
])('a pod may ask Multus for %j', (text, networks) => {
  expect(requestedNetworks(pod(text))).toEqual(networks)
})

test('what Multus attached is told with the pod’s own network first', () => {
  const status = networkStatus(pod('migration@migration0'), '10.244.1.2', {
    migration0: '127.77.1.101',
  })
  expect(JSON.parse(status[STATUS] ?? '')).toEqual([
    { name: 'lab', interface: 'eth0', ips: ['10.244.1.2'], default: true, dns: {} },
    {
      name: 'default/migration',
      interface: 'migration0',
      ips: ['127.77.1.101'],
      mac: expect.stringMatching(/^02(:[0-9a-f]{2}){5}$/),
      dns: {},
    },
  ])
})

test('a pod that asks for no network has no status of any', () => {
  expect(networkStatus(pod(), '10.244.1.2')).toEqual({})
})
