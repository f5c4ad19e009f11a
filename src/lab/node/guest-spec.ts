import { hash } from 'node:crypto'
import { parseQuantity, unitsOf } from '../../kubevirt/quantity.ts'
import type { Quantity, Vmi, VmiVolume } from '../../kubevirt/types.ts'
import { guestMemoryBytes } from '../../rules/convergence.ts'
import { methodOf } from '../../rules/migratability.ts'
import { LAB_ANNOTATION } from '../annotations.ts'
import type { GuestSpec } from './guest/guest.ts'

/** A volume that says nothing of its size, such as a container's image. */
const UNKNOWN_DISK_BYTES = 8 * 2 ** 20

/** What the lab's guest is made of: sizes from the VMI's spec, the dirty rate from its annotation. */
export function guestSpecOf(vmi: Vmi): GuestSpec {
  return {
    memoryBytes: guestMemoryBytes(vmi),
    diskBytes: methodOf(vmi) === 'BlockMigration' ? localDiskBytes(vmi) : 0,
    dirtyRate: bytes(vmi.metadata.annotations?.[LAB_ANNOTATION.dirtyRate]) ?? 0,
    seed: hash('sha1', vmi.metadata.uid ?? vmi.metadata.name, 'buffer').readUInt32LE(0),
  }
}

function localDiskBytes(vmi: Vmi): number {
  return (vmi.spec.volumes ?? []).reduce((sum, volume) => sum + volumeBytes(volume), 0)
}

function volumeBytes(volume: VmiVolume): number {
  const { emptyDisk, ephemeral, persistentVolumeClaim, dataVolume, hostDisk } =
    volume as VmiVolume & Record<string, { capacity?: Quantity } | undefined>
  if (persistentVolumeClaim || dataVolume || hostDisk || ephemeral) return 0
  return bytes(emptyDisk?.capacity) ?? UNKNOWN_DISK_BYTES
}

function bytes(quantity: Quantity | undefined): number | undefined {
  const amount = parseQuantity(quantity)
  return amount && unitsOf(amount)
}
