import { conditionOf } from '../kubevirt/migration.ts'
import { NODE_LABEL } from '../kubevirt/node-labels.ts'
import type { KubeVirt, Node, Vmi, VmiSpec } from '../kubevirt/types.ts'
import { isHostModel } from './launcher-placement.ts'

/** What the VMI itself says, as virt-handler wrote it. */
export type Migratability =
  | { migratable: true }
  | { migratable: false; reason: string; message: string }
  /** Nobody has judged yet: a migration is admitted and waits. */
  | { migratable: 'unknown' }

export function migratabilityOf(vmi: Vmi): Migratability {
  const condition = conditionOf(vmi, 'LiveMigratable')
  if (!condition || condition.status === 'Unknown') return { migratable: 'unknown' }
  if (condition.status === 'True') return { migratable: true }
  return { migratable: false, reason: condition.reason ?? '', message: condition.message ?? '' }
}

export interface Obstacle {
  reason: string
  message: string
}

/**
 * Everything that keeps the VM from being migrated, not only the first that virt-handler names: there one reason may hide
 * another, since disks come last from 1.6 on (fact sheet control-plane.md §5.1, §5.2).
 */
export function obstaclesOf(
  vmi: Vmi,
  node: Node | undefined,
  kubevirt: KubeVirt | undefined,
): Obstacle[] {
  return [
    ...networkObstacles(vmi),
    ...cpuObstacles(vmi, node),
    ...deviceObstacles(vmi.spec, kubevirt),
    ...featureObstacles(vmi),
    ...diskObstacles(vmi),
  ]
}

/** `LiveMigration`, or `BlockMigration` where disks have to be copied too. */
export function methodOf(vmi: Vmi): 'LiveMigration' | 'BlockMigration' {
  const migrated = vmi.status?.migratedVolumes ?? []
  const blocks = (vmi.spec.volumes ?? []).some((volume) => judgeVolume(vmi, volume) === 'copied')
  return blocks || migrated.length > 0 || diskObstacles(vmi).length > 0
    ? 'BlockMigration'
    : 'LiveMigration'
}

function networkObstacles({ spec, metadata }: Vmi): Obstacle[] {
  const network = (spec.networks ?? []).find(({ pod }) => pod !== undefined)
  if (!network) return []
  const reason = 'InterfaceNotLiveMigratable'
  const primary = (spec.domain?.devices?.interfaces ?? []).find(({ name }) => name === network.name)
  if (!primary)
    return [{ reason, message: `no primary interface found for network ${network.name}` }]
  const allowed = 'kubevirt.io/allow-pod-bridge-network-live-migration'
  const bridged = primary['bridge'] !== undefined && metadata.annotations?.[allowed] !== undefined
  if (primary['masquerade'] || primary['passt'] || primary['binding'] || bridged) return []
  const message =
    'cannot migrate VMI which does not use masquerade or a migratable plugin to connect to the pod network'
  return [{ reason, message }]
}

function cpuObstacles(vmi: Vmi, node: Node | undefined): Obstacle[] {
  if (!node || !isHostModel(vmi)) return []
  const labels = Object.keys(node.metadata.labels ?? {})
  if (labels.some((label) => label.startsWith(NODE_LABEL.hostModelCpu))) return []
  const message = `the node "${node.metadata.name}" does not allow migration with host-model`
  return [{ reason: 'CPUModeLiveMigratable', message }]
}

function deviceObstacles({ domain }: VmiSpec, kubevirt: KubeVirt | undefined): Obstacle[] {
  const reason = 'HostDeviceNotLiveMigratable'
  const { gpus = [], hostDevices = [] } = (domain?.devices ?? {}) as {
    gpus?: unknown[]
    hostDevices?: unknown[]
  }
  const gates = kubevirt?.spec.configuration?.developerConfiguration?.featureGates ?? []
  const obstacles: Obstacle[] = []
  if (hostDevices.length > 0)
    obstacles.push({ reason, message: 'VMI specifies non-migratable generic PCI host device' })
  if (gpus.length > 1) obstacles.push({ reason, message: 'VMI specifies too many GPUs' })
  else if (gpus.length === 1 && !gates.includes('VGPULiveMigration')) {
    const message = 'VMI specifies a GPU but feature gate VGPULiveMigration is not enabled'
    obstacles.push({ reason, message })
  }
  return obstacles
}

function featureObstacles({ spec, status }: Vmi): Obstacle[] {
  const domain = (spec.domain ?? {}) as {
    launchSecurity?: { sev?: unknown; snp?: unknown; tdx?: unknown }
    features?: { hypervPassthrough?: { enabled?: boolean }; hyperv?: { reenlightenment?: unknown } }
  }
  const obstacles: Obstacle[] = []
  const { launchSecurity, features } = domain
  if (launchSecurity?.sev || launchSecurity?.snp)
    obstacles.push({ reason: 'SEVNotLiveMigratable', message: 'VMI uses SEV' })
  if (launchSecurity?.tdx)
    obstacles.push({ reason: 'TDXNotLiveMigratable', message: 'VMI uses TDX' })
  const hints = status?.['topologyHints'] as { tscFrequency?: number } | undefined
  if (features?.hyperv?.reenlightenment && !hints?.tscFrequency)
    obstacles.push({
      reason: 'NoTSCFrequencyNotLiveMigratable',
      message:
        'HyperV Reenlightenment VMIs cannot migrate when TSC Frequency is not exposed on the cluster: guest timers might be inconsistent',
    })
  if (features?.hypervPassthrough?.enabled)
    obstacles.push({
      reason: 'HypervPassthroughNotLiveMigratable',
      message: 'VMI uses hyperv passthrough',
    })
  return obstacles
}

function diskObstacles(vmi: Vmi): Obstacle[] {
  return (vmi.spec.volumes ?? []).flatMap((volume) => {
    const judged = judgeVolume(vmi, volume)
    return typeof judged === 'string'
      ? []
      : [{ reason: 'DisksNotLiveMigratable', message: judged.message }]
  })
}

type Volume = NonNullable<VmiSpec['volumes']>[number]

/** Shared: both nodes see it. Copied: it moves by block migration. Ignored: it is read only and made anew. */
function judgeVolume(
  vmi: Vmi,
  volume: Volume,
): 'shared' | 'copied' | 'ignored' | { message: string } {
  const { name, persistentVolumeClaim, dataVolume, hostDisk } = volume
  const claim = persistentVolumeClaim?.claimName ?? dataVolume?.name
  if (claim) {
    const migrated = (vmi.status?.migratedVolumes ?? []).some((m) => m['volumeName'] === name)
    if (migrated) return 'copied'
    const info = vmi.status?.volumeStatus?.find((status) => status.name === name)
    const modes = info?.persistentVolumeClaimInfo?.accessModes
    const required =
      'live migration requires that all PVCs must be shared (using ReadWriteMany access mode)'
    if (!modes)
      return {
        message: `cannot migrate VMI: Unable to determine if PVC ${claim} is shared, ${required}`,
      }
    if (modes.includes('ReadWriteMany')) return 'shared'
    return { message: `cannot migrate VMI: PVC ${claim} is not shared, ${required}` }
  }
  if (hostDisk)
    return hostDisk.shared === true
      ? 'shared'
      : { message: 'cannot migrate VMI with non-shared HostDisk' }
  const { filesystems = [], disks = [] } = (vmi.spec.domain?.devices ?? {}) as {
    filesystems?: { name: string }[]
    disks?: { name: string; cdrom?: { readonly?: boolean } }[]
  }
  if (filesystems.some((filesystem) => filesystem.name === name)) return 'shared'
  const cdrom = disks.find((disk) => disk.name === name)?.cdrom
  return cdrom && cdrom.readonly !== false ? 'ignored' : 'copied'
}
