import type { Cluster } from '../../cluster/cluster.ts'
import { create, patch } from '../../cluster/objects.ts'
import { STORAGE_CLASSES, STORAGE_PROFILES } from '../../kubevirt/resources.ts'

/** Who makes the volumes of a lab. */
export const PROVISIONER = 'volumes.lab.kubectl-mig.io'

/** The default one, and one that waits until it is known where a volume is used. */
const CLASSES = [
  { name: 'lab-storage', volumeBindingMode: 'Immediate', isDefault: true },
  { name: 'lab-storage-wffc', volumeBindingMode: 'WaitForFirstConsumer', isDefault: false },
]

/** What CDI offers of both, the best for a VM first. */
const CLAIM_PROPERTY_SETS = [
  { accessModes: ['ReadWriteMany'], volumeMode: 'Block' },
  { accessModes: ['ReadWriteMany'], volumeMode: 'Filesystem' },
  { accessModes: ['ReadWriteOnce'], volumeMode: 'Block' },
  { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem' },
]

/** The storage classes of a lab, and their profiles as CDI would have made them. */
export async function seedStorage(admin: Cluster): Promise<void> {
  for (const { name, volumeBindingMode, isDefault } of CLASSES) {
    const annotations = isDefault ? { 'storageclass.kubernetes.io/is-default-class': 'true' } : {}
    await create(admin, STORAGE_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name, annotations },
      provisioner: PROVISIONER,
      reclaimPolicy: 'Delete',
      volumeBindingMode,
    })
    // CDI does not know the provisioner: an admin has to say what it can do.
    await create(admin, STORAGE_PROFILES, {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'StorageProfile',
      metadata: { name, labels: CDI_LABELS },
      spec: { claimPropertySets: CLAIM_PROPERTY_SETS },
    })
    const status = {
      storageClass: name,
      provisioner: PROVISIONER,
      claimPropertySets: CLAIM_PROPERTY_SETS,
      cloneStrategy: 'copy',
      dataImportCronSourceFormat: 'pvc',
    }
    await patch(admin, STORAGE_PROFILES, { name, subresource: 'status' }, { status }, 'merge')
  }
}

const CDI_LABELS = {
  app: 'containerized-data-importer',
  'app.kubernetes.io/component': 'storage',
  'app.kubernetes.io/managed-by': 'cdi-controller',
  'cdi.kubevirt.io': '',
}
