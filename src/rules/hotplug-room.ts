import { amountOf, compare, formatQuantity, parseQuantity, unitsOf } from '../kubevirt/quantity.ts'
import type { KubeVirt, Quantity, VmiSpec } from '../kubevirt/types.ts'
import { rollsOutLive } from './vm-live-update.ts'

const RATIO = 4
const SMALLEST_HOTPLUG = amountOf(1024 ** 3, 'BinarySI')

/**
 * How far a VM that is started now can grow while it runs: four times its sockets and its memory, unless it or the cluster
 * says otherwise. A guest below 1Gi gets no room for memory.
 */
export function withHotplugRoom(spec: VmiSpec, kubevirt: KubeVirt | undefined): VmiSpec {
  if (!rollsOutLive(kubevirt)) return spec
  const live = kubevirt?.spec.configuration?.['liveUpdateConfiguration'] as
    | { maxHotplugRatio?: number; maxCpuSockets?: number; maxGuest?: Quantity }
    | undefined
  const ratio = live?.maxHotplugRatio ?? RATIO
  const { cpu, memory } = spec.domain ?? {}
  const guest = parseQuantity(memory?.guest)
  const maxGuest = guest && formatQuantity(amountOf(unitsOf(guest) * ratio, guest.format))
  return {
    ...spec,
    domain: {
      ...spec.domain,
      cpu: { maxSockets: live?.maxCpuSockets ?? (cpu?.sockets ?? 1) * ratio, ...cpu },
      ...(guest && compare(guest, SMALLEST_HOTPLUG) >= 0
        ? { memory: { maxGuest: live?.maxGuest ?? maxGuest, ...memory } }
        : {}),
    },
  }
}
