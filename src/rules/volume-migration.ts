import { stateClaimNameIn } from '../kubevirt/backend-storage.ts'
import { sameValue } from '../kubevirt/equality.ts'
import { conditionOf } from '../kubevirt/migration.ts'
import { ownValue } from '../kubevirt/own-value.ts'
import { timestamp } from '../kubevirt/time.ts'
import type { Condition, Quantity, Vm, Vmi, VmiVolume } from '../kubevirt/types.ts'
import { claimOf } from '../kubevirt/volumes.ts'

/** What is to be known of a PersistentVolumeClaim. */
interface Claim {
  spec?: {
    accessModes?: string[]
    volumeMode?: string
    resources?: { requests?: Record<string, Quantity> }
  }
  status?: { capacity?: Record<string, Quantity> }
}

interface MigratedVolume {
  volumeName: string
  sourcePVCInfo: { claimName: string }
  destinationPVCInfo: { claimName: string }
  [field: string]: unknown
}

/** What becomes of a running VM whose template names other claims for its volumes (fact sheet control-plane.md §5.3). */
export type VolumeUpdate =
  | { kind: 'nothing' }
  /** The VMI gets them, and a migration copies what is in the old ones. */
  | { kind: 'begin'; migrated: MigratedVolume[]; volumes: VmiVolume[] }
  /** Back to the old ones while it has not been done. */
  | { kind: 'cancel'; volumes: VmiVolume[] }
  /** A new claim is not there yet. */
  | { kind: 'missing'; message: string }
  /** Only a restart can bring it. */
  | { kind: 'restart'; condition: Condition }
  | { kind: 'refused'; message: string }

const NOTHING: VolumeUpdate = { kind: 'nothing' }

export function volumeUpdateOf(
  vm: Vm,
  vmi: Vmi,
  claimNamed: (name: string) => Claim | undefined,
): VolumeUpdate {
  const changed = changedVolumes(vm, vmi)
  const begun = (vmi.status?.migratedVolumes ?? []) as unknown as MigratedVolume[]
  const isBegun = conditionOf(vmi, 'VolumesChange')?.status === 'True'
  if (isBegun && begun.some(({ volumeName }) => Object.hasOwn(changed, volumeName))) {
    if (isReverted(begun, changed)) return { kind: 'cancel', volumes: nextVolumes(vm, vmi, begun) }
    const message = 'The volume can only be reverted to the previous version during the update'
    return { kind: 'refused', message }
  }
  if (vm.spec.updateVolumesStrategy !== 'Migration' || Object.keys(changed).length === 0)
    return NOTHING
  const invalid = invalidVolumes(vmi, changed)
  if (invalid !== undefined) return restart(invalid)
  const absent = Object.values(changed).find((name) => !claimNamed(name))
  if (absent !== undefined) {
    const message = `One of the destination volumes doesn't exist: the pvc ${absent} doesn't exist`
    return { kind: 'missing', message }
  }
  const migrated = Object.keys(changed).map((name) => migratedVolume(name, vm, vmi, claimNamed))
  const obstacle = obstacleOf(vmi, Object.keys(changed))
  if (obstacle !== undefined) return restart(obstacle)
  return { kind: 'begin', migrated, volumes: nextVolumes(vm, vmi, migrated) }
}

/** The VMI with what an update means for it: its volumes, those to be copied, and why it can't be done now. */
export function withVolumeUpdate(
  vmi: Vmi,
  update: Extract<VolumeUpdate, { kind: 'begin' | 'cancel' | 'missing' }>,
  now: number,
): Vmi {
  const before = vmi.status?.conditions ?? []
  const others = before.filter(({ type }) => type !== 'VolumesChange')
  const denied = (more: Partial<Condition>): Condition[] => {
    const known = conditionOf(vmi, 'VolumesChange')
    if (known?.status === 'False' && known.reason === more.reason) return before
    const lastTransitionTime = timestamp(now)
    return [...others, { type: 'VolumesChange', status: 'False', lastTransitionTime, ...more }]
  }
  const statusWith = (conditions: Condition[], migratedVolumes?: MigratedVolume[]) => ({
    ...vmi.status,
    conditions,
    ...(migratedVolumes ? { migratedVolumes } : {}),
  })
  switch (update.kind) {
    case 'missing':
      return { ...vmi, status: statusWith(denied({ message: update.message })) }
    case 'begin':
      return {
        ...vmi,
        spec: { ...vmi.spec, volumes: update.volumes },
        status: statusWith(others, update.migrated),
      }
    case 'cancel':
      return {
        ...vmi,
        spec: { ...vmi.spec, volumes: update.volumes },
        status: statusWith(denied({ reason: 'VolumesChangeCancellation' }), []),
      }
  }
}

/** Whether such a migration may take place although the VM's disks are not shared: all that are not are copied. */
export function isVolumeMigration(vmi: Vmi): boolean {
  const migrated = (vmi.status?.migratedVolumes ?? []) as unknown as MigratedVolume[]
  return (
    migrated.length > 0 &&
    obstacleOf(
      vmi,
      migrated.map(({ volumeName }) => volumeName),
    ) === undefined
  )
}

/** Volumes whose claims differ, by name, and the claims that they are to have. */
function changedVolumes(vm: Vm, { spec }: Vmi): Record<string, string> {
  const wanted = vm.spec.template?.spec.volumes ?? []
  return Object.fromEntries(
    wanted.flatMap((volume): [string, string][] => {
      const claim = claimOf(volume)
      const before = spec.volumes?.find(({ name }) => name === volume.name)
      const old = before && claimOf(before)
      return claim && old && old !== claim ? [[volume.name, claim]] : []
    }),
  )
}

function isReverted(begun: MigratedVolume[], changed: Record<string, string>): boolean {
  return (
    begun.length === Object.keys(changed).length &&
    begun.every(
      ({ volumeName, sourcePVCInfo }) => ownValue(changed, volumeName) === sourcePVCInfo.claimName,
    )
  )
}

/** Disks that can't be copied while the guest writes to them. */
function invalidVolumes({ spec }: Vmi, changed: Record<string, string>): string | undefined {
  const devices = spec.domain?.devices
  const filesystems = (devices?.['filesystems'] ?? []) as { name: string }[]
  const names = Object.keys(changed)
  const shared = names.filter((name) => filesystems.some((one) => one.name === name))
  const disk = (name: string) => devices?.disks?.find((one) => one.name === name)
  const rest = names.filter((name) => !shared.includes(name))
  const shareable = rest.filter((name) => disk(name)?.['shareable'] === true)
  const luns = rest.filter((name) => !shareable.includes(name) && disk(name)?.['lun'] !== undefined)
  const parts = Object.entries({ filesystems: shared, shareable, luns }).flatMap(([kind, list]) =>
    list.length > 0 ? [` ${kind}: [${list.join(' ')}]`] : [],
  )
  return parts.length > 0 ? `invalid volumes to update with migration:${parts.join('')}` : undefined
}

function obstacleOf(vmi: Vmi, migrated: string[]): string | undefined {
  const storage = conditionOf(vmi, 'StorageLiveMigratable')
  if (storage?.status === 'False')
    return `cannot migrate the volumes as the VMI isn't migratable: ${storage.message ?? ''}`
  // What TPM and EFI keep moves in a way of its own.
  const state = stateClaimNameIn(vmi)
  const left = (vmi.status?.volumeStatus ?? []).find(
    ({ name, persistentVolumeClaimInfo }) =>
      name !== state &&
      persistentVolumeClaimInfo?.accessModes?.includes('ReadWriteOnce') &&
      !migrated.includes(name),
  )
  return left
    ? `cannot migrate the VM. The volume ${left.name} is RWO and not included in the migration volumes`
    : undefined
}

function migratedVolume(
  volumeName: string,
  vm: Vm,
  { spec }: Vmi,
  claimNamed: (name: string) => Claim | undefined,
): MigratedVolume {
  const info = (volumes: VmiVolume[] | undefined) => {
    const volume = volumes?.find(({ name }) => name === volumeName)
    const claimName = (volume && claimOf(volume)) ?? ''
    const { spec: asked, status } = claimNamed(claimName) ?? {}
    return {
      claimName,
      ...(asked?.volumeMode ? { volumeMode: asked.volumeMode } : {}),
      ...(asked?.accessModes ? { accessModes: asked.accessModes } : {}),
      ...(asked?.resources?.requests ? { requests: asked.resources.requests } : {}),
      ...(status?.capacity ? { capacity: status.capacity } : {}),
    }
  }
  return {
    volumeName,
    sourcePVCInfo: info(spec.volumes),
    destinationPVCInfo: info(vm.spec.template?.spec.volumes),
  }
}

/** The VMI's volumes, those of the migration as the VM has them. */
function nextVolumes(vm: Vm, { spec }: Vmi, migrated: MigratedVolume[]): VmiVolume[] {
  const wanted = vm.spec.template?.spec.volumes ?? []
  return (spec.volumes ?? []).map((volume) => {
    const isMigrated = migrated.some(({ volumeName }) => volumeName === volume.name)
    const next = isMigrated ? wanted.find(({ name }) => name === volume.name) : undefined
    return next && !sameValue(next, volume) ? next : volume
  })
}

function restart(message: string): VolumeUpdate {
  return { kind: 'restart', condition: { type: 'RestartRequired', status: 'True', message } }
}
