import type { KubeObject } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { finding } from '../finding.ts'
import type { Subject, World } from '../subject.ts'
import { type Claim, claimsOf } from './claims.ts'

interface Volume extends KubeObject {
  spec: {
    local?: unknown
    hostPath?: unknown
    nodeAffinity?: {
      required?: {
        nodeSelectorTerms?: { matchExpressions?: { key?: string; values?: string[] }[] }[]
      }
    }
  }
}
interface StorageClass extends KubeObject {
  provisioner?: string
}
interface StorageProfile extends KubeObject {
  status?: { claimPropertySets?: { accessModes?: string[] }[] }
}

/** Drivers that keep a volume on the disk of one node, whatever its claim says. */
const NODE_LOCAL =
  /hostpath|local-path|no-provisioner|topolvm|lvm\.csi|openebs\.io\/local|zfs\.csi|local\.csi/i

/** What the storage itself is told by: the launcher's or libvirt's words about a disk. */
const OF_DISKS = /^MIG307[0346]$/

/**
 * A claim that says ReadWriteMany on storage that is one node's: KubeVirt believes the claim, and the copy fails. Told
 * only where a copy failed; before, the scheduler's refusal tells it.
 */
export const sharedStorage: Check = {
  name: 'storage behind ReadWriteMany claims',
  when: ({ kind, phase, troubled, vmi, targetNode }) =>
    kind === 'migration' && troubled && phase === 'Failed' && vmi !== undefined && !!targetNode,
  needs: ['PersistentVolumeClaim'],
  judge(subject, world) {
    const believed = claimsOf(subject, world).flatMap((claim) => {
      const why = claim.spec.accessModes?.includes('ReadWriteMany')
        ? notShared(claim, world)
        : undefined
      return why && !isCopied(claim, subject) ? [{ claim, why }] : []
    })
    const [first] = believed
    if (!first) return []
    const seen = subject.said.some(({ row }) => OF_DISKS.test(row.code))
    const { name } = first.claim.metadata
    return [
      finding({
        code: 'MIG3070',
        title: `PVC ${name} says ReadWriteMany, but its storage is not shared: ${first.why}`,
        status: seen ? 'fail' : 'warn',
        objects: [
          ...believed.map(({ claim }) => `pvc/${subject.namespace}/${claim.metadata.name}`),
          subject.ref,
        ],
        evidence: believed.slice(0, 3).map(({ claim, why }) => ({
          source: `pvc/${subject.namespace}/${claim.metadata.name}`,
          field: 'spec.accessModes',
          value: `ReadWriteMany; ${why}`,
        })),
        cause:
          'KubeVirt judges by the claim and not by what stands behind it: the target opens another, or no, image',
        confidence: seen ? 'likely' : 'possible',
        remedy: [
          {
            text: 'Move the disk to storage that is really shared (volume migration or a clone), then migrate',
          },
        ],
        // With the disk's own error beside it, this is why.
        ...(seen && { weight: 35 }),
      }),
    ]
  },
}

/** Why a volume cannot be reached from two nodes, by its PV, its driver and CDI's profile of the class. */
function notShared(claim: Claim, { evidence: { objects } }: World): string | undefined {
  const volume = objects.get<Volume>('PersistentVolume', undefined, claim.spec.volumeName ?? '')
  const pv = volume?.metadata.name
  if (volume?.spec.local !== undefined) return `PV ${pv} is of type local`
  if (volume?.spec.hostPath !== undefined) return `PV ${pv} is of type hostPath`
  const node = volume && tiedTo(volume)
  if (node) return `PV ${pv} is tied to node ${node}`
  const name = claim.spec.storageClassName ?? ''
  const provisioner = objects.get<StorageClass>('StorageClass', undefined, name)?.provisioner ?? ''
  if (NODE_LOCAL.test(provisioner)) return `StorageClass ${name} (${provisioner}) is node-local`
  const sets = objects.get<StorageProfile>('StorageProfile', undefined, name)?.status
    ?.claimPropertySets
  const modes = Array.isArray(sets) ? sets.flatMap((set) => set?.accessModes ?? []) : []
  return modes.length > 0 && !modes.includes('ReadWriteMany')
    ? `the StorageProfile of ${name} offers only ${[...new Set(modes)].join(', ')}`
    : undefined
}

/** The one node that a PV's affinity names. */
function tiedTo({ spec }: Volume): string | undefined {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms
  const hosts = (Array.isArray(terms) ? terms : [])
    .flatMap((term) => term?.matchExpressions ?? [])
    .filter(({ key }) => /hostname|topology\..*\/node$/.test(key ?? ''))
    .flatMap(({ values }) => values ?? [])
  return hosts.length === 1 ? hosts[0] : undefined
}

/** Volumes that the migration itself copies need not be shared. */
function isCopied(claim: Claim, { vmi }: Subject): boolean {
  return (vmi?.status?.migratedVolumes ?? []).some(
    (volume) =>
      (volume as { sourcePVCInfo?: { claimName?: string } }).sourcePVCInfo?.claimName ===
      claim.metadata.name,
  )
}
