import { describe, expect, test } from 'vitest'
import type { Vm, Vmi, VmiSpec } from '../../src/kubevirt/types.ts'
import { volumeChanges } from '../../src/rules/vm-volume-update.ts'
import { changeVolumes, ephemeralVolumes } from '../../src/rules/volume-request.ts'
import { vmi } from './objects.ts'

const root = { name: 'root', persistentVolumeClaim: { claimName: 'root' } }
const extra = { name: 'extra', persistentVolumeClaim: { claimName: 'extra', hotpluggable: true } }
const spec: VmiSpec = {
  volumes: [root],
  domain: { devices: { disks: [{ name: 'root', disk: {} }] } },
}
const plugged: VmiSpec = {
  volumes: [root, extra],
  domain: {
    devices: {
      disks: [
        { name: 'root', disk: {} },
        { name: 'extra', disk: {} },
      ],
    },
  },
}
const of = (its: VmiSpec, owned = false): Vmi => {
  const made = { ...vmi(), spec: its }
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'vm-1', uid: 'u' }
  return owned ? { ...made, metadata: { ...made.metadata, ownerReferences: [owner] } } : made
}
const options = {
  name: 'extra',
  disk: { disk: {} },
  volumeSource: { persistentVolumeClaim: { claimName: 'extra' } },
}

describe('a volume is plugged in', () => {
  test('with its disk, and taken out again', () => {
    const added = changeVolumes(of(spec), 'addvolume', options)
    expect(added.ok && added.object.spec).toEqual(plugged)
    const removed = changeVolumes(of(plugged), 'removevolume', { name: 'extra' })
    expect(removed.ok && removed.object.spec).toEqual(spec)
  })

  test('into a VM’s template', () => {
    const vm: Vm = { metadata: { name: 'vm-1' }, spec: { template: { spec } } }
    const added = changeVolumes(vm, 'addvolume', options)
    expect(added.ok && added.object.spec.template?.spec).toEqual(plugged)
  })

  test('into a VM’s VMI, which notes that it is its own', () => {
    const added = changeVolumes(of(spec, true), 'addvolume', options)
    const its = added.ok ? added.object : of(spec)
    expect(ephemeralVolumes(its)).toEqual(['extra'])
    const removed = changeVolumes(its, 'removevolume', { name: 'extra' })
    expect(removed.ok && removed.object.metadata.annotations).toEqual({})
  })

  test.each<['addvolume' | 'removevolume', object, number, string]>([
    ['addvolume', {}, 400, 'AddVolumeOptions requires name to be set'],
    ['addvolume', { name: 'a' }, 400, 'AddVolumeOptions requires disk to not be nil'],
    [
      'addvolume',
      { name: 'a', disk: {} },
      400,
      'AddVolumeOptions requires VolumeSource to not be nil',
    ],
    [
      'addvolume',
      { ...options, name: 'root' },
      409,
      'Unable to add volume [root] because volume with that name already exists',
    ],
    [
      'addvolume',
      { ...options, name: 'other' },
      409,
      'Unable to add volume source [extra] because it already exists',
    ],
    ['removevolume', {}, 400, 'RemoveVolumeOptions requires name to be set'],
    [
      'removevolume',
      { name: 'root' },
      409,
      'Unable to remove volume [root] because it is not hotpluggable',
    ],
    [
      'removevolume',
      { name: 'none' },
      409,
      'Unable to remove volume [none] because it does not exist',
    ],
  ])('not by %s with %j', (change, given, code, message) => {
    expect(changeVolumes(of(plugged), change, given)).toEqual({ ok: false, code, message })
  })
})

describe('a running guest', () => {
  const values = (template: VmiSpec, its: Vmi) =>
    Object.fromEntries(volumeChanges(template, its).map(({ path, value }) => [path, value]))

  test('gets what its VM’s template gets, and loses what that loses', () => {
    expect(values(plugged, of(spec))).toEqual({
      '/spec/volumes': plugged.volumes,
      '/spec/domain/devices/disks': plugged.domain?.devices?.disks,
    })
    expect(values(spec, of(plugged))).toEqual({
      '/spec/volumes': spec.volumes,
      '/spec/domain/devices/disks': spec.domain?.devices?.disks,
    })
  })

  test('keeps what it was given itself, and what can’t be plugged', () => {
    const added = changeVolumes(of(spec, true), 'addvolume', options)
    expect(values(spec, added.ok ? added.object : of(spec))).toEqual({})
    expect(values({ volumes: [] }, of(spec))).toEqual({})
    expect(values(spec, of(spec))).toEqual({})
  })
})
