import { isAtLeast, type Release } from '../kubevirt/defaults.ts'
import {
  type Amount,
  add,
  amountOf,
  formatQuantity,
  milliOf,
  parseQuantity,
  unitsOf,
  ZERO,
} from '../kubevirt/quantity.ts'
import type { KubeVirt, Quantity, Vmi, VmiSpec } from '../kubevirt/types.ts'

const MI = 1024 ** 2

interface OverheadPart {
  what: string
  bytes: number
}

/** What a launcher needs beside its guest's memory, in bytes, and what that is made of. */
export interface Overhead {
  bytes: number
  parts: OverheadPart[]
}

/**
 * How much more memory than the guest does its launcher ask for? Correct to the byte for the recorded pods
 * (fact sheet control-plane.md §2.7a); what network bindings add of their own is not known here.
 */
export function launcherOverhead(
  vmi: Vmi,
  kubevirt: KubeVirt | undefined,
  release: Release,
  arch = 'amd64',
): Overhead {
  const parts = [
    { what: 'page tables', bytes: pageTables(vmi) },
    ...processes(release),
    { what: 'vCPUs', bytes: 8 * MI * vcpusOf(vmi.spec) },
    { what: 'IO thread', bytes: 8 * MI },
    ...deviceParts(vmi.spec, arch),
  ]
  const sum = parts.reduce((total, { bytes }) => total + bytes, 0)
  const ratio = Number(kubevirt?.spec.configuration?.['additionalGuestMemoryOverheadRatio'] ?? 1)
  return { bytes: Number.isFinite(ratio) ? sum + addition(sum, ratio) : sum, parts }
}

/** One bit for 512 of the memory that the VM itself asks for, which is taken in whole kB; its size does not count. */
function pageTables({ spec: { domain } }: Vmi): number {
  const asked = parseQuantity(domain?.resources?.requests?.['memory'])
  return asked ? Math.floor((Math.ceil(unitsOf(asked) / 1000) * 1000) / 512) : 0
}

/** What a ratio adds, in whole kB. */
function addition(bytes: number, ratio: number): number {
  return Math.trunc(Math.ceil(bytes / 1000) * (ratio - 1)) * 1000
}

function processes(release: Release): OverheadPart[] {
  const newer = isAtLeast(release, 1, 5)
  return [
    { what: 'virt-launcher-monitor', bytes: 25 * MI },
    { what: 'virt-launcher', bytes: 100 * MI },
    { what: 'virtlogd', bytes: (newer ? 25 : 20) * MI },
    { what: 'virtqemud', bytes: (newer ? 40 : 35) * MI },
    { what: 'qemu', bytes: (isAtLeast(release, 1, 10) ? 50 : 30) * MI },
  ]
}

function deviceParts(spec: VmiSpec, arch: string): OverheadPart[] {
  const { devices, launchSecurity, memory } = (spec.domain ?? {}) as {
    devices?: {
      autoattachGraphicsDevice?: boolean
      gpus?: unknown[]
      hostDevices?: unknown[]
      interfaces?: { sriov?: unknown }[]
      tpm?: { enabled?: boolean }
    }
    launchSecurity?: { sev?: unknown; snp?: unknown }
    memory?: { reservedOverhead?: { addedOverhead?: Quantity } }
  }
  const passedThrough = [...(devices?.gpus ?? []), ...(devices?.hostDevices ?? [])].length
  const sriov = (devices?.interfaces ?? []).filter((one) => one.sriov !== undefined).length
  const parts: OverheadPart[] = []
  if (devices?.autoattachGraphicsDevice !== false)
    parts.push({ what: 'graphics device', bytes: 32 * MI })
  if (arch === 'arm64') parts.push({ what: 'arm64 firmware', bytes: 128 * MI })
  if (passedThrough + sriov > 0) parts.push({ what: 'VFIO', bytes: 1024 * MI })
  if ((spec.volumes ?? []).some((volume) => volume['downwardMetrics'] !== undefined))
    parts.push({ what: 'downward metrics', bytes: MI })
  const probes = execProbes(spec)
  if (probes > 0) parts.push({ what: 'exec probes', bytes: (100 + 10 * probes) * MI })
  if (launchSecurity?.sev || launchSecurity?.snp) parts.push({ what: 'SEV', bytes: 256 * MI })
  if (devices?.tpm && devices.tpm.enabled !== false) parts.push({ what: 'TPM', bytes: 53 * MI })
  if (spec.domain?.cpu?.dedicatedCpuPlacement || isGuaranteed(spec))
    parts.push({ what: 'guaranteed resources', bytes: 100 * MI })
  const reserved = parseQuantity(memory?.reservedOverhead?.addedOverhead)
  if (reserved) parts.push({ what: 'reserved by the VM', bytes: unitsOf(reserved) })
  return parts
}

function execProbes(spec: VmiSpec): number {
  const probes = spec as { livenessProbe?: { exec?: unknown }; readinessProbe?: { exec?: unknown } }
  return [probes.livenessProbe, probes.readinessProbe].filter((probe) => probe?.exec).length
}

/** Whether the VM's own requests and limits make its pod a guaranteed one. */
export function isGuaranteed({ domain }: VmiSpec): boolean {
  const { requests, limits } = domain?.resources ?? {}
  return ['cpu', 'memory'].every((resource) => {
    const [request, limit] = [
      parseQuantity(requests?.[resource]),
      parseQuantity(limits?.[resource]),
    ]
    return limit !== undefined && (request === undefined || request.nano === limit.nano)
  })
}

/** The guest's memory as it is asked for: an explicit request, else the guest's size by the cluster's overcommitment. */
export function requestedMemory({ spec: { domain } }: Vmi, kubevirt: KubeVirt | undefined): Amount {
  const explicit = parseQuantity(
    domain?.resources?.requests?.['memory'] ?? domain?.resources?.limits?.['memory'],
  )
  if (explicit) return explicit
  const { guest: size, hugepages } = domain?.memory ?? {}
  const guest = parseQuantity(size ?? hugepages?.pageSize) ?? ZERO
  const percent = Number(kubevirt?.spec.configuration?.developerConfiguration?.memoryOvercommit)
  if (!(percent > 0) || percent === 100) return guest
  return amountOf(Math.trunc((unitsOf(guest) * 100) / percent), guest.format)
}

/** Sockets x cores x threads; without a topology a CPU limit or request, at least one. */
export function vcpusOf({ domain }: VmiSpec): number {
  const { sockets = 1, cores = 1, threads = 1 } = domain?.cpu ?? {}
  const product = sockets * cores * threads
  if (domain?.cpu && product > 0) return product
  const resources = domain?.resources
  const cpu = parseQuantity(resources?.limits?.['cpu'] ?? resources?.requests?.['cpu'])
  return Math.max(1, cpu ? Math.ceil(milliOf(cpu) / 1000) : 1)
}

/** `targetMemoryOverhead` of a hand-off: the bytes of the pod's annotation as a quantity. */
export function overheadQuantity(bytes: number): string {
  return formatQuantity(amountOf(bytes, 'BinarySI'))
}

/** Memory of the `compute` container: the guest's and the launcher's own. */
export function withOverhead(memory: Amount, overhead: Overhead): string {
  return formatQuantity(add(memory, amountOf(overhead.bytes, 'BinarySI')))
}
