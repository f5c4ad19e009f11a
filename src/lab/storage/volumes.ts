import type {
  ClaimReference,
  StorageClass,
  Volume,
  VolumeClaim,
} from '../../rules/volume-binding.ts'
import { PROVISIONER } from './classes.ts'

/** PersistentVolume: who made it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'

/** PersistentVolumeClaim: that it has its volume, and did not bring it itself. */
export const BOUND = {
  'pv.kubernetes.io/bind-completed': 'yes',
  'pv.kubernetes.io/bound-by-controller': 'yes',
}

/** PersistentVolumeClaim: who is to make its volume; the older name is still written. */
export function provisionerMarks(provisioner: string): Record<string, string> {
  return {
    'volume.beta.kubernetes.io/storage-provisioner': provisioner,
    'volume.kubernetes.io/storage-provisioner': provisioner,
  }
}

/** A volume as a CSI provisioner makes it for a claim; there is nothing behind it. */
export function madeVolume(
  claim: VolumeClaim,
  { metadata: { name: storageClassName }, reclaimPolicy = 'Delete' }: StorageClass,
): Volume {
  const name = `pvc-${claim.metadata.uid}`
  const { accessModes = [], resources, volumeMode = 'Filesystem' } = claim.spec
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [PROVISIONED_BY]: PROVISIONER } },
    spec: {
      accessModes,
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      claimRef: referenceTo(claim),
      csi: {
        driver: PROVISIONER,
        volumeHandle: name,
        ...(volumeMode === 'Filesystem' && { fsType: 'ext4' }),
      },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName,
      volumeMode,
    },
  }
}

export function referenceTo({ metadata }: VolumeClaim): ClaimReference {
  const { namespace, name, uid, resourceVersion } = metadata
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion }
}
