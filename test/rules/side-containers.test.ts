import { expect, test } from 'vitest'
import type { KubeVirt } from '../../src/kubevirt/types.ts'
import { launcherPod } from '../../src/rules/launcher-pod.ts'
import { vmi } from './objects.ts'

const names = ['config', 'data']
const volumes = [
  { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
  { name: 'config', configMap: { name: 'config' } },
  { name: 'disk', persistentVolumeClaim: { claimName: 'disk' } },
]

function containersOf(domain: object, annotation?: string, kubevirt?: KubeVirt) {
  const filesystems = names.map((name) => ({ name, virtiofs: {} }))
  const its = vmi({ spec: { volumes, domain: { devices: { filesystems }, ...domain } } })
  if (annotation !== undefined)
    its.metadata.annotations = { 'hooks.kubevirt.io/hookSidecars': annotation }
  return launcherPod(its, { kubevirt }).spec.containers.slice(1)
}

test('each shared filesystem has a container, in the order of the volumes', () => {
  expect(containersOf({})).toMatchObject(
    ['virtiofs-data', 'virtiofs-config'].map((name) => ({
      name,
      resources: {
        requests: { cpu: '10m', memory: '1M' },
        limits: { cpu: '100m', memory: '80M' },
      },
    })),
  )
})

test('each hook has one after those, of its own image or of KubeVirt’s', () => {
  const hooks = [{ image: 'registry/hook:1', args: ['--version', 'v1alpha3'] }, { args: ['-x'] }]
  const [first, second] = containersOf({}, JSON.stringify(hooks)).slice(2)
  expect(first).toMatchObject({ name: 'hook-sidecar-0', image: 'registry/hook:1' })
  expect(first?.resources).toEqual({ requests: {}, limits: {} })
  expect(second).toMatchObject({ name: 'hook-sidecar-1', image: 'registry/sidecar-shim:v1.9.0' })
  for (const broken of ['no list', '{}']) expect(containersOf({}, broken)).toHaveLength(2)
})

test('beside a guest that has its CPUs for itself all is guaranteed', () => {
  const cpu = { sockets: 1, dedicatedCpuPlacement: true }
  const containers = containersOf({ cpu }, '[{}]')
  expect(containers.map(({ resources }) => resources?.requests)).toEqual([
    { cpu: '100m', memory: '80M' },
    { cpu: '100m', memory: '80M' },
    { cpu: '200m', memory: '64M' },
  ])
  for (const { resources } of containers) expect(resources?.limits).toEqual(resources?.requests)
})

test('the cluster may have it otherwise', () => {
  const resources = { requests: { cpu: '5m' }, limits: { memory: '1G' } }
  const supportContainerResources = [{ type: 'sidecar', resources }]
  const kubevirt = {
    metadata: { name: 'kubevirt' },
    spec: { configuration: { supportContainerResources } },
  }
  expect(containersOf({}, '[{}]', kubevirt).at(-1)?.resources).toEqual(resources)
})
