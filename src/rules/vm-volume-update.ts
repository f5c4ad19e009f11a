import { sameValue } from '../kubevirt/equality.ts'
import type { Vmi, VmiSpec } from '../kubevirt/types.ts'
import { isHotpluggable } from '../kubevirt/volumes.ts'
import type { Change } from './vm-network-update.ts'
import { ephemeralVolumes } from './volume-request.ts'

/**
 * Volumes that may be plugged in come to a running guest when its VM's template gets them, and go when that loses them,
 * with their disks; those that the VMI was given itself stay.
 */
export function volumeChanges(template: VmiSpec, vmi: Vmi): Change[] {
  const { spec } = vmi
  const before = spec.volumes ?? []
  const disks = spec.domain?.devices?.disks ?? []
  const wanted = template.volumes ?? []
  const own = ephemeralVolumes(vmi)
  const isIn = (list: readonly { name: string }[], name: string) =>
    list.some((one) => one.name === name)
  const added = wanted.filter((volume) => isHotpluggable(volume) && !isIn(before, volume.name))
  const removed = before.filter(
    (volume) => isHotpluggable(volume) && !isIn(wanted, volume.name) && !own.includes(volume.name),
  )
  const volumes = [...before.filter((volume) => !removed.includes(volume)), ...added]
  const templated = template.domain?.devices?.disks ?? []
  const nextDisks = [
    ...disks.filter(({ name }) => !isIn(removed, name)),
    ...templated.filter(({ name }) => isIn(added, name)),
  ]
  return [
    { path: '/spec/volumes', old: spec.volumes, value: volumes },
    { path: '/spec/domain/devices/disks', old: spec.domain?.devices?.disks, value: nextDisks },
  ].filter(({ old = [], value }) => !sameValue(old, value))
}
