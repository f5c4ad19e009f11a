import { stateClaimNameIn, stateClaimOf, stateClaimPrefix } from '../kubevirt/backend-storage.ts'
import { LABEL } from '../kubevirt/labels.ts'
import type { KubeObject, KubeVirt, Migration, OwnerReference, Vmi } from '../kubevirt/types.ts'
import { DEFAULT_CLASS, type StorageClass, type VolumeClaim } from './volume-binding.ts'

/**
 * Backend storage: the claim that holds what TPM and EFI of a VM keep. Facts of the sheet are control-plane.md §2.4, §2.7
 * and §5.2; it does not tell class, access mode and readiness: these are KubeVirt's public code, as it can be read.
 */
export interface StateStorage {
  kubevirt: KubeVirt | undefined
  classes: readonly StorageClass[]
  profiles: readonly StorageProfile[]
}

/** CDI's word on what a storage class, whose name it has, can do. */
export interface StorageProfile extends KubeObject {
  status?: { claimPropertySets?: { accessModes?: string[]; volumeMode?: string }[] }
}

/** A claim to be created: its name is the server's to make. */
export type ClaimTemplate = Omit<VolumeClaim, 'metadata' | 'status'> & {
  metadata: Omit<VolumeClaim['metadata'], 'name'>
}

export type StateClaim = { ok: true; claim: ClaimTemplate } | { ok: false; error: string }

const SIZE = '10Mi'
const MODE = 'Filesystem'
const VIRT_DEFAULT_CLASS = 'storageclass.kubevirt.io/is-default-virt-class'

/** The claim that a VM without one gets. */
export function newStateClaim(vmi: Vmi, storage: StateStorage): StateClaim {
  return stateClaim(vmi, { [LABEL.persistentStateFor]: vmi.metadata.name }, storage)
}

/** What a migration may use on the target: one that is there, or one to be made; a shared one serves both sides. */
export type TargetClaim =
  | { kind: 'existing'; source: string; target: VolumeClaim }
  | { kind: 'create'; source: string; claim: ClaimTemplate }
  /** Tried again, without event or condition. */
  | { kind: 'error'; error: string }

export function targetStateClaim(
  vmi: Vmi,
  migration: Migration,
  claims: readonly VolumeClaim[],
  storage: StateStorage,
): TargetClaim {
  const source = stateClaimNameIn(vmi)
  if (source === undefined)
    return { kind: 'error', error: 'no backend-storage PVC found in VMI volume status' }
  const made = claimMadeFor(migration, claims)
  if (made) return { kind: 'existing', source, target: made }
  const own = stateClaimOf(vmi.metadata, claims)
  if (own?.status?.accessModes?.[0] === 'ReadWriteMany')
    return { kind: 'existing', source, target: own }
  const labels = { [LABEL.migrationName]: migration.metadata.name }
  const template = stateClaim(vmi, labels, storage)
  return template.ok
    ? { kind: 'create', source, claim: template.claim }
    : { kind: 'error', error: template.error }
}

/** The claim on the target that a migration names, or that names the migration. */
export function claimMadeFor(
  { metadata, status }: Migration,
  claims: readonly VolumeClaim[],
): VolumeClaim | undefined {
  const named = status?.migrationState?.targetPersistentStatePVCName
  return claims.find(
    ({ metadata: { namespace, name, labels } }) =>
      namespace === metadata.namespace &&
      (named ? name === named : labels?.[LABEL.migrationName] === metadata.name),
  )
}

/** The two claims of a migration that has made one of its own; undefined where there are none, or both sides share one. */
export function separateClaims({
  status,
}: Migration): { source: string; target: string } | undefined {
  const { sourcePersistentStatePVCName: source, targetPersistentStatePVCName: target } =
    status?.migrationState ?? {}
  return target && source && source !== target ? { source, target } : undefined
}

/** Whether a migration's claim is the VM's own by now. */
export function isHandedOver({ metadata }: VolumeClaim, { spec }: Migration): boolean {
  return (
    metadata.labels?.[LABEL.migrationName] === undefined &&
    metadata.labels?.[LABEL.persistentStateFor] === spec.vmiName
  )
}

/** Whether a launcher may be made that mounts the claim; its volume may have to wait for it. */
export function stateReadiness(
  claim: VolumeClaim,
  classes: readonly StorageClass[],
): 'ready' | 'pending' | { error: string } {
  switch (claim.status?.phase) {
    case 'Bound':
      return 'ready'
    case 'Lost':
      return { error: 'backend storage PVC lost' }
    case 'Pending': {
      const { storageClassName } = claim.spec
      if (storageClassName === undefined) return { error: 'no storage class name' }
      const found = classes.find(({ metadata }) => metadata.name === storageClassName)
      if (!found) return { error: `storage class ${storageClassName} not found` }
      return found.volumeBindingMode === 'WaitForFirstConsumer' ? 'ready' : 'pending'
    }
    default:
      return 'pending'
  }
}

function stateClaim(vmi: Vmi, labels: Record<string, string>, storage: StateStorage): StateClaim {
  const storageClassName = stateClass(storage)
  if (storageClassName === undefined) return { ok: false, error: 'no default storage class found' }
  const { namespace, name, ownerReferences = [] } = vmi.metadata
  return {
    ok: true,
    claim: {
      metadata: {
        generateName: stateClaimPrefix(name),
        ...(namespace === undefined ? {} : { namespace }),
        labels,
        // It goes with the VM, not with the VMI, unless there is no VM.
        ownerReferences: ownerReferences.length > 0 ? ownerReferences : [ownedBy(vmi)],
      },
      spec: {
        accessModes: [accessModeOf(storageClassName, storage)],
        resources: { requests: { storage: SIZE } },
        storageClassName,
        volumeMode: MODE,
      },
    },
  }
}

/** The one that is configured, the default for VMs, or the cluster's. */
function stateClass({ kubevirt, classes }: StateStorage): string | undefined {
  const configured = configuredClass(kubevirt)
  if (configured) return configured
  const marked = (annotation: string) =>
    classes.find(({ metadata }) => metadata.annotations?.[annotation] === 'true')?.metadata.name
  return marked(VIRT_DEFAULT_CLASS) ?? marked(DEFAULT_CLASS)
}

/** Shared if the class can be; where nobody says what it can, one that was configured is trusted to. */
function accessModeOf(storageClass: string, { kubevirt, profiles }: StateStorage): string {
  const profile = profiles.find(({ metadata }) => metadata.name === storageClass)
  const modes = (profile?.status?.claimPropertySets ?? [])
    .filter(({ volumeMode }) => volumeMode === MODE)
    .flatMap(({ accessModes = [] }) => accessModes)
  for (const mode of ['ReadWriteMany', 'ReadWriteOnce']) if (modes.includes(mode)) return mode
  return configuredClass(kubevirt) ? 'ReadWriteMany' : 'ReadWriteOnce'
}

function configuredClass(kubevirt: KubeVirt | undefined): string | undefined {
  const name = kubevirt?.spec.configuration?.['vmStateStorageClass']
  return typeof name === 'string' && name !== '' ? name : undefined
}

function ownedBy({ metadata: { name, uid = '' } }: Vmi): OwnerReference {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  }
}
