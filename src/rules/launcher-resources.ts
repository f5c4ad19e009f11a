import {
  amountOf,
  formatQuantity,
  milliAmount,
  parseQuantity,
  unitsOf,
} from '../kubevirt/quantity.ts'
import type { Container, KubeVirt, Quantity, Vmi } from '../kubevirt/types.ts'
import type { AutomaticLimits } from './automatic-limits.ts'
import { type Overhead, requestedMemory, vcpusOf, withOverhead } from './launcher-memory.ts'

type Resources = Record<string, Quantity>

/** What the `compute` container asks for and may use at most. */
export function computeResources(
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  overhead: Overhead,
  automatic: AutomaticLimits = { cpu: false },
): NonNullable<Container['resources']> {
  const given = vmi.spec.domain?.resources
  const requests: Resources = { ...given?.requests }
  const limits: Resources = { ...given?.limits }
  setMemory(requests, limits, vmi, kubevirt, overhead, automatic)
  setCpu(requests, limits, vmi, kubevirt, automatic)
  addEphemeralStorage(requests, limits)
  for (const device of devicesOf(vmi, kubevirt)) {
    requests[device] = '1'
    limits[device] = '1'
  }
  return { requests, limits }
}

function setMemory(
  requests: Resources,
  limits: Resources,
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  overhead: Overhead,
  automatic: AutomaticLimits,
) {
  const { domain } = vmi.spec
  const guest = requestedMemory(vmi, kubevirt)
  const own = domain?.resources?.overcommitGuestOverhead ? { bytes: 0, parts: [] } : overhead
  const pageSize = domain?.memory?.hugepages?.pageSize
  if (pageSize) {
    const size = formatQuantity(parseQuantity(domain?.memory?.guest) ?? guest)
    requests[`hugepages-${pageSize}`] = size
    limits[`hugepages-${pageSize}`] = size
    requests['memory'] = withOverhead(amountOf(0, 'BinarySI'), own)
  } else {
    requests['memory'] = withOverhead(guest, own)
  }
  const limit = parseQuantity(limits['memory'])
  if (limit) limits['memory'] = withOverhead(limit, overhead)
  else if (automatic.memoryRatio !== undefined) {
    const request = parseQuantity(requests['memory'])
    const bytes = Math.ceil(unitsOf(request ?? amountOf(0)) * automatic.memoryRatio)
    limits['memory'] = formatQuantity(amountOf(bytes, 'BinarySI'))
  }
}

function setCpu(
  requests: Resources,
  limits: Resources,
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  automatic: AutomaticLimits,
) {
  const { cpu } = vmi.spec.domain ?? {}
  const vcpus = vcpusOf(vmi.spec)
  if (cpu?.dedicatedCpuPlacement) {
    // An isolated emulator thread takes a CPU of its own.
    const total = String(vcpus + (cpu.isolateEmulatorThread ? 1 : 0))
    requests['cpu'] = total
    limits['cpu'] = total
    return
  }
  if (automatic.cpu && limits['cpu'] === undefined) limits['cpu'] = String(vcpus)
  if (requests['cpu'] !== undefined) return
  if (vmi.spec.domain?.resources?.limits?.['cpu'] !== undefined) {
    requests['cpu'] = limits['cpu'] as Quantity
    return
  }
  const ratio = Number(kubevirt?.spec.configuration?.developerConfiguration?.cpuAllocationRatio)
  const milli = Math.trunc((vcpus * 1000) / (ratio > 0 ? ratio : 10))
  requests['cpu'] = formatQuantity(milliAmount(milli))
}

/** For the launcher's own files. */
function addEphemeralStorage(requests: Resources, limits: Resources) {
  const extra = 50_000_000
  const plus = (given: Quantity | undefined) =>
    formatQuantity(amountOf(unitsOf(parseQuantity(given) ?? amountOf(0)) + extra))
  requests['ephemeral-storage'] = plus(requests['ephemeral-storage'])
  if (limits['ephemeral-storage'] !== undefined)
    limits['ephemeral-storage'] = plus(limits['ephemeral-storage'])
}

function devicesOf({ spec }: Vmi, kubevirt: KubeVirt | undefined): string[] {
  const emulated = kubevirt?.spec.configuration?.developerConfiguration?.['useEmulation'] === true
  const devices = spec.domain?.devices
  const interfaces = devices?.interfaces ?? []
  const networked = interfaces.length > 0 || devices?.['autoattachPodInterface'] !== false
  const virtio = interfaces.some(
    ({ model }) => model === undefined || model === '' || model === 'virtio',
  )
  return [
    ...(emulated ? [] : ['devices.kubevirt.io/kvm']),
    ...(networked ? ['devices.kubevirt.io/tun'] : []),
    ...(virtio && !emulated ? ['devices.kubevirt.io/vhost-net'] : []),
    ...(devices?.['autoattachVSOCK'] === true ? ['devices.kubevirt.io/vhost-vsock'] : []),
  ]
}
