import { expect, test } from 'vitest'
import type { Pod, VmiVolume } from '../../src/kubevirt/types.ts'
import { hasHotplugVolumes, hotpluggedVolumes } from '../../src/kubevirt/volumes.ts'
import { attaches, attachmentPod } from '../../src/rules/attachment-pod.ts'
import { launcher, migration, vmi } from './objects.ts'

const claim: VmiVolume = {
  name: 'extra',
  persistentVolumeClaim: { claimName: 'disk-0', hotpluggable: true },
}
const data: VmiVolume = { name: 'data', dataVolume: { name: 'dv-0', hotpluggable: true } }
const fixed: VmiVolume = { name: 'root', persistentVolumeClaim: { claimName: 'root' } }
const owner: Pod = {
  ...launcher('launcher'),
  spec: { nodeName: 'node-1', containers: [], tolerations: [{ key: 'x' }] },
}

test('one pod brings all claims to the launcher’s node', () => {
  const pod = attachmentPod(owner, [claim, data], undefined, migration('m'))
  expect(pod.metadata).toMatchObject({
    generateName: 'hp-volume-',
    labels: { 'kubevirt.io': 'hotplug-disk', 'kubevirt.io/migrationJobUID': 'uid-m' },
    annotations: { 'kubevirt.io/migrationJobName': 'm' },
    ownerReferences: [{ kind: 'Pod', name: 'launcher', controller: true }],
  })
  expect(pod.spec.tolerations).toContainEqual({ key: 'x' })
  expect(pod.spec.tolerations).toContainEqual({
    key: 'node.kubernetes.io/unschedulable',
    operator: 'Exists',
    effect: 'NoSchedule',
  })
  expect(pod.spec.containers[0]?.resources).toEqual({
    requests: { cpu: '10m', memory: '2M' },
    limits: { cpu: '100m', memory: '80M' },
  })
  const made: Pod = { metadata: { name: 'hp' }, spec: pod.spec }
  expect(attaches(made, [claim, data])).toBe(true)
  expect(attaches(made, [claim])).toBe(false)
  expect(attaches(made, [claim, fixed])).toBe(false)
})

test('the cluster may give it other resources', () => {
  const resources = { requests: { memory: '10M' }, limits: { cpu: '1' } }
  const supportContainerResources = [{ type: 'hotplug-disk', resources }]
  const kubevirt = {
    metadata: { name: 'k' },
    spec: { configuration: { supportContainerResources } },
  }
  expect(attachmentPod(owner, [claim], kubevirt).spec.containers[0]?.resources).toEqual({
    requests: { cpu: '10m', memory: '10M' },
    limits: { cpu: '1', memory: '80M' },
  })
})

test('plugged in is what may be and is not in the launcher', () => {
  const spec = { volumes: [fixed, claim, data] }
  expect(hotpluggedVolumes(spec, owner)).toEqual([claim, data])
  const holding = { ...owner, spec: { ...owner.spec, volumes: [{ name: 'data' }] } }
  expect(hotpluggedVolumes(spec, holding)).toEqual([claim])
  expect(hasHotplugVolumes(vmi({ spec: { volumes: [fixed] } }))).toBe(false)
  expect(hasHotplugVolumes(vmi({ spec: { volumes: [data] } }))).toBe(true)
})
