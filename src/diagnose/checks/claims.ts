import type { KubeObject, Quantity } from '../../kubevirt/types.ts'
import type { Subject, World } from '../subject.ts'

/** What the checks read of a PersistentVolumeClaim. */
export interface Claim extends KubeObject {
  spec: {
    accessModes?: string[]
    volumeMode?: string
    storageClassName?: string
    volumeName?: string
    resources?: { requests?: { storage?: Quantity } }
  }
  status?: { capacity?: { storage?: Quantity } }
}

/** The claims of the VM's volumes; all of the namespace where the VMI does not name any. */
export function claimsOf({ vmi, namespace }: Subject, world: World): Claim[] {
  const all = world.evidence.objects
    .list<Claim>('PersistentVolumeClaim')
    .filter(({ metadata }) => metadata.namespace === namespace)
  const used = (vmi?.spec.volumes ?? []).flatMap(
    (v) => v.persistentVolumeClaim?.claimName ?? v.dataVolume?.name ?? [],
  )
  const own = all.filter(({ metadata }) => used.includes(metadata.name))
  return own.length > 0 ? own : all
}
