import { parseQuantity, unitsOf, ZERO } from '../../kubevirt/quantity.ts'
import type { KubeObject, Quantity } from '../../kubevirt/types.ts'
import type { Check } from '../check.ts'
import { type Finding, finding } from '../finding.ts'
import type { Said, Subject, World } from '../subject.ts'
import { exactBytes, listing } from '../words.ts'
import { type Claim, claimsOf } from './claims.ts'
import { evidenceOf, objectsOf, placesOf } from './texts.ts'

interface Volume extends KubeObject {
  spec: { capacity?: { storage?: Quantity }; csi?: { driver?: string } }
}
interface Class extends KubeObject {
  provisioner?: string
  parameters?: Record<string, string>
}

interface Disk {
  claim: Claim
  storageClass: Class | undefined
  driver: string
}

/** File systems that libvirt knows as shared, by the drivers that bring them. */
const KNOWN_SHARED = /nfs|cephfs|gpfs|spectrum|gluster|ocfs2|gfs2|smb|cifs|lustre|quobyte/i

/** QEMU or libvirt on the target refuses the disks: what stands behind each claim, and why it is not shared. */
export const sharing: Check = {
  name: 'sharing of the disks',
  when: ({ said, troubled }) =>
    troubled && said.some(({ row }) => row.code === 'MIG3073' || row.code === 'MIG3074'),
  needs: [],
  judge(subject, world) {
    const disks = disksOf(subject, world)
    const locked = subject.said.filter(({ row }) => row.code === 'MIG3073')
    return [locked.length > 0 ? lock(subject, locked, disks) : unsafe(subject, disks)]
  },
}

function lock(subject: Subject, said: Said[], disks: Disk[]): Finding {
  const longhorn = disks.find(
    ({ driver, storageClass }) =>
      /longhorn/i.test(driver) && storageClass?.parameters?.['migratable'] !== 'true',
  )
  const suspect = longhorn ?? disks[0]
  const what = suspect
    ? `PVC ${suspect.claim.metadata.name} is ${suspect.claim.spec.accessModes?.join(', ') ?? '?'}, volumeMode ${suspect.claim.spec.volumeMode ?? 'Filesystem'}, on ${suspect.driver}`
    : 'The PVC behind the image is not in what was read'
  const why = longhorn
    ? `, whose StorageClass ${longhorn.storageClass?.metadata.name ?? ''} lacks the parameter migratable: "true": such a volume is served by a share manager or one node, and is not made for two`
    : '; the storage does not let the target open an image that the source has open'
  return finding({
    code: 'MIG3073',
    title: `QEMU on the target cannot get the ${said[0]!.groups.lock ?? '"write" lock'} of the disk${suspect ? ` of PVC ${suspect.claim.metadata.name}` : ''}`,
    objects: [
      ...objectsOf(subject),
      ...(suspect ? [`pvc/${subject.namespace}/${suspect.claim.metadata.name}`] : []),
    ],
    evidence: evidenceOf(said, 2),
    cause: `${what}${why}. ${placesOf(subject)}`,
    confidence: longhorn ? 'likely' : 'possible',
    remedy: [
      longhorn
        ? {
            text: 'Recreate the disk on a Longhorn class with migratable: "true" and volumeMode Block (clone or volume migration)',
          }
        : {
            text: 'Use a class that is made for live migration, with volumeMode Block; and see that no leftover QEMU holds the image',
          },
    ],
  })
}

function unsafe(subject: Subject, disks: Disk[]): Finding {
  const said = subject.said.filter(({ row }) => row.code === 'MIG3074')
  const filesystems = disks.filter(
    ({ claim }) => (claim.spec.volumeMode ?? 'Filesystem') === 'Filesystem',
  )
  const unknown = filesystems.filter(({ driver }) => !KNOWN_SHARED.test(driver))
  const suspects = unknown.length > 0 ? unknown : filesystems
  const which = suspects.map(({ claim, driver }) => `PVC ${claim.metadata.name} on ${driver}`)
  return finding({
    code: 'MIG3074',
    title: `libvirt refuses (Code 81, Unsafe migration): it does not recognise the storage as shared${which.length > 0 ? ` — ${listing(which)}` : ''}`,
    objects: [
      ...objectsOf(subject),
      ...suspects.map(({ claim }) => `pvc/${subject.namespace}/${claim.metadata.name}`),
    ],
    evidence: evidenceOf(said, 2),
    cause: `libvirt knows shared file systems from a fixed list of types (NFS, CephFS, GPFS …); the type of this one is not in it, even where it really is shared. ${placesOf(subject)}`,
    confidence: suspects.length > 0 ? 'likely' : 'possible',
    remedy: [
      { text: 'Use volumeMode Block, or a file system that libvirt knows as shared' },
      {
        text: 'Or unsafeMigrationOverride in the KubeVirt CR',
        risk: 'libvirt’s checks are off for all migrations: a disk that is not shared is corrupted',
      },
    ],
  })
}

/** A volume migration whose destination is smaller: what the claims ask for may be equal. */
export const destinationSize: Check = {
  name: 'size of the destination volume',
  when: ({ said, troubled }) => troubled && said.some(({ row }) => row.code === 'MIG3072'),
  needs: [],
  judge(subject, world) {
    const said = subject.said.filter(({ row }) => row.code === 'MIG3072')
    const { source, target } = said.find(({ groups }) => groups.source)?.groups ?? {}
    const volumes = world.evidence.objects.list<Volume>('PersistentVolume')
    const claims = claimsOf(subject, world).flatMap((claim) => {
      const pv = volumes.find(({ metadata }) => metadata.name === claim.spec.volumeName)
      const size = pv?.spec.capacity?.storage ?? claim.status?.capacity?.storage
      return size === undefined
        ? []
        : [{ claim, pv, size, bytes: unitsOf(parseQuantity(size) ?? ZERO) }]
    })
    const describe = (bytes: number) => {
      const match = claims.find((c) => c.bytes === bytes)
      return match
        ? `${match.pv ? `PV ${match.pv.metadata.name} of ` : ''}PVC ${match.claim.metadata.name}, ${match.size} = ${exactBytes(bytes)}`
        : exactBytes(bytes)
    }
    const sizes = source && target ? { source: Number(source), target: Number(target) } : undefined
    const requests = new Set(
      claims.map(({ claim }) => String(claim.spec.resources?.requests?.storage ?? '')),
    )
    return [
      finding({
        code: 'MIG3072',
        title: sizes
          ? `The destination volume is smaller than the source: ${describe(sizes.target)} < ${describe(sizes.source)}`
          : 'The destination volume is smaller than the source volume',
        objects: [
          subject.ref,
          ...claims
            .slice(0, 4)
            .map(({ claim }) => `pvc/${subject.namespace}/${claim.metadata.name}`),
        ],
        evidence: evidenceOf(said, 1),
        cause: `${sizes ? `It is short by ${exactBytes(sizes.source - sizes.target)}` : 'By how much the text does not say'}${claims.length > 1 && requests.size === 1 ? '. The requests of the claims are equal: compare the capacities of the volumes, which each provisioner rounds differently' : ''}`,
        remedy: [
          {
            text: sizes
              ? `Make the destination larger: request at least ${sizes.source} bytes, and migrate again`
              : 'Make the destination larger, and migrate again',
          },
        ],
      }),
    ]
  },
}

function disksOf(subject: Subject, world: World): Disk[] {
  return claimsOf(subject, world).map((claim) => {
    const storageClass = world.evidence.objects.get<Class>(
      'StorageClass',
      undefined,
      claim.spec.storageClassName ?? '',
    )
    const pv = world.evidence.objects.get<Volume>(
      'PersistentVolume',
      undefined,
      claim.spec.volumeName ?? '',
    )
    return {
      claim,
      storageClass,
      driver:
        storageClass?.provisioner ??
        pv?.spec.csi?.driver ??
        claim.spec.storageClassName ??
        'unknown storage',
    }
  })
}
