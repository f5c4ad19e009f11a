import {
  type Amount,
  amountOf,
  compare,
  formatQuantity,
  parseQuantity,
  subtract,
  unitsOf,
  ZERO,
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
    const count = String(Number(limits[device] ?? 0) + 1)
    requests[device] = count
    limits[device] = count
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
  const request = requestedMemory(vmi, kubevirt)
  // A guest with CPUs of its own has its memory for itself too.
  const limit = domain?.cpu?.dedicatedCpuPlacement ? request : parseQuantity(limits['memory'])
  const pageSize = domain?.memory?.hugepages?.pageSize
  if (pageSize) {
    const guest = parseQuantity(domain?.memory?.guest)
    const size = formatQuantity(guest && compare(request, guest) > 0 ? guest : request)
    requests[`hugepages-${pageSize}`] = size
    limits[`hugepages-${pageSize}`] = size
    requests['memory'] = withOverhead(beyond(request, guest), overhead)
    if (limit) limits['memory'] = withOverhead(beyond(limit, guest), overhead)
  } else {
    const own = domain?.resources?.overcommitGuestOverhead ? { bytes: 0, parts: [] } : overhead
    requests['memory'] = withOverhead(request, own)
    if (limit) limits['memory'] = withOverhead(limit, overhead)
  }
  if (limit) return
  if (automatic.memoryRatio !== undefined) {
    const asked = parseQuantity(requests['memory']) ?? ZERO
    const bytes = Math.trunc(unitsOf(asked) * automatic.memoryRatio)
    limits['memory'] = formatQuantity(amountOf(bytes, 'BinarySI'))
  }
}

/** What ordinary memory has to hold of it where huge pages hold the guest. */
function beyond(amount: Amount, guest: Amount | undefined): Amount {
  return guest && compare(amount, guest) > 0 ? subtract(amount, guest) : amountOf(0, 'BinarySI')
}

function setCpu(
  requests: Resources,
  limits: Resources,
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  automatic: AutomaticLimits,
) {
  const { cpu } = vmi.spec.domain ?? {}
  const vcpus = vcpusOf(vmi.spec) + ioThreadsOf(vmi)
  if (cpu?.dedicatedCpuPlacement) {
    const total = String(vcpus + emulatorCpus(vmi, vcpus))
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
  const nano = Math.ceil((vcpus * 1e9) / (ratio > 0 ? ratio : 10))
  requests['cpu'] = formatQuantity({ nano: BigInt(nano), format: 'DecimalSI' })
}

/** Threads that copy for all disks have CPUs like the guest's. */
function ioThreadsOf({ spec }: Vmi): number {
  const threads = spec.domain?.['ioThreads'] as { supplementalPoolThreadCount?: number } | undefined
  return threads?.supplementalPoolThreadCount ?? 0
}

/** An isolated emulator thread takes a CPU of its own, or two where an even number is wanted. */
function emulatorCpus({ spec, metadata }: Vmi, vcpus: number): number {
  if (!spec.domain?.cpu?.isolateEmulatorThread) return 0
  const even = metadata.annotations?.['alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity']
  return even !== undefined && vcpus % 2 === 0 ? 2 : 1
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
  // A VM that says nothing of networks has an interface on the pod's.
  const interfaces: { name: string; model?: unknown }[] =
    devices?.interfaces ?? (devices?.['autoattachPodInterface'] === false ? [] : [{ name: '' }])
  const networked = interfaces.length > 0 || devices?.['autoattachPodInterface'] !== false
  const virtio = interfaces.some(
    ({ model }) => model === undefined || model === '' || model === 'virtio',
  )
  const security = spec.domain?.['launchSecurity'] as { sev?: unknown; tdx?: unknown } | undefined
  return [
    ...(emulated ? [] : ['devices.kubevirt.io/kvm']),
    ...(networked ? ['devices.kubevirt.io/tun'] : []),
    ...(virtio && !emulated ? ['devices.kubevirt.io/vhost-net'] : []),
    ...(devices?.['autoattachVSOCK'] === true ? ['devices.kubevirt.io/vhost-vsock'] : []),
    ...(security?.sev ? ['devices.kubevirt.io/sev'] : []),
    ...(security?.tdx ? ['devices.kubevirt.io/tdx'] : []),
    ...passedThrough(devices?.['gpus']),
    ...passedThrough(devices?.['hostDevices']),
  ]
}

/** By the names under which device plugins offer them. */
function passedThrough(devices: unknown): string[] {
  return ((devices ?? []) as { deviceName?: string }[]).flatMap(({ deviceName }) =>
    deviceName ? [deviceName] : [],
  )
}
