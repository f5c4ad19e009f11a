import { describe, expect, test } from 'vitest'
import type { Pod, VmiVolume } from '../../src/kubevirt/types.ts'
import { hasHotplugVolumes, hotpluggedVolumes } from '../../src/kubevirt/volumes.ts'
import { attachmentPod, attachments } from '../../src/rules/attachment-pod.ts'
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
})

describe('of the attachment pods that are there', () => {
  const holding = (name: string, volumes: VmiVolume[], phase = 'Running', created = 0): Pod => ({
    metadata: { name, creationTimestamp: new Date(created).toISOString() },
    spec: attachmentPod(owner, volumes, undefined).spec,
    status: { phase },
  })
  test.each<[string, Pod[], VmiVolume[], string, boolean, string[]]>([
    ['nothing is plugged in', [], [], '', false, []],
    ['the first volume needs one', [], [claim], '', true, []],
    ['one that holds all is enough', [holding('a', [claim, data])], [data, claim], 'a', false, []],
    ['a new one is made beside the old', [holding('a', [claim])], [claim, data], '', true, []],
    [
      'which goes when the new one runs',
      [holding('a', [claim]), holding('b', [claim, data])],
      [claim, data],
      'b',
      false,
      ['a'],
    ],
    [
      'and stays until then',
      [holding('a', [claim]), holding('b', [claim, data], 'Pending')],
      [claim, data],
      'b',
      false,
      [],
    ],
    [
      'of several old ones the newest that runs stays',
      [holding('a', [claim]), holding('b', [data], 'Running', 1000)],
      [claim, data],
      '',
      true,
      ['a'],
    ],
    [
      'none is made while an old one starts',
      [holding('a', [claim], 'Pending')],
      [data],
      '',
      false,
      ['a'],
    ],
    ['the last goes with its volume', [holding('a', [claim])], [], '', false, ['a']],
    ['a claim that is no hotplug is another one', [holding('a', [fixed])], [claim], '', true, []],
  ])('%s', (_, present, volumes, current, create, remove) => {
    const plan = attachments(present, volumes)
    expect(plan.current?.metadata.name ?? '').toBe(current)
    expect(plan.create).toBe(create)
    expect(plan.remove.map(({ metadata }) => metadata.name)).toEqual(remove)
  })
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
