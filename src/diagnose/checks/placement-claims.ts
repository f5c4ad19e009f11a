import { LABEL } from '../../kubevirt/labels.ts'
import type { StorageClass, VolumeClaim } from '../../rules/volume-binding.ts'
import { claimsIn } from '../../rules/volume-binding.ts'
import type { Objection } from '../scheduler-message.ts'
import type { World } from '../subject.ts'
import { listing, shell, short } from '../words.ts'
import type { PlacementVerdict, Unplaced } from './unplaced.ts'

/** The scheduler looks at no node as long as a claim of the pod is as it is. */
export function claimVerdict(unplaced: Unplaced, { text, detail }: Objection): PlacementVerdict {
  const { subject } = unplaced
  const unbound = detail === undefined && /unbound immediate/.test(text) ? unboundOf(unplaced) : []
  const names = detail === undefined ? unbound.map(({ metadata }) => metadata.name) : [detail]
  const which = unbound.length > 0 ? listing(unbound.map((claim) => told(claim))) : 'a claim'
  return {
    code: 'MIG3025',
    title: `The target pod of ${subject.name} waits for ${which}: ${short(text, 140)}`,
    cause: causeOf(unplaced, unbound, text, detail),
    objects: names.map((name) => `pvc/${subject.namespace}/${name}`),
    remedy: [
      {
        text: `See the claim${unbound.length > 0 ? ': its events say who is to make its volume' : ''}`,
        command: shell`kubectl -n ${subject.namespace} describe pvc ${names[0] ?? ''}`.trim(),
      },
    ],
  }
}

function causeOf(
  unplaced: Unplaced,
  unbound: VolumeClaim[],
  text: string,
  detail: string | undefined,
): string {
  if (detail !== undefined) return `PVC ${detail} is missing, unbound or being deleted`
  if (/ReadWriteOncePod/.test(text))
    return 'A claim of the VM has the access mode ReadWriteOncePod: one pod holds it, the source’s, and no second one ever may. The VM must get a ReadWriteMany claim'
  const makers = new Set(
    unbound.flatMap((claim) => classOf(unplaced.world, claim)?.provisioner ?? []),
  )
  const maker = makers.size > 0 ? `, and ${listing([...makers])} has not made its volume` : ''
  const own = unbound.some(({ metadata }) => metadata.labels?.[LABEL.migrationName] !== undefined)
    ? '. It was made for this migration: what TPM or EFI of the VM keep is in a claim that is not shared, so that the target needs one of its own'
    : ''
  return `A PVC of the pod is not bound${maker}${own}`
}

/** Claims of the pod; one whose class waits for the pod's node does not hold it up. */
function unboundOf({ pod, subject, world }: Unplaced): VolumeClaim[] {
  const mounted = pod ? claimsIn(pod) : []
  return world.evidence.objects
    .list<VolumeClaim>('PersistentVolumeClaim')
    .filter(
      ({ metadata, status }) =>
        metadata.namespace === subject.namespace &&
        mounted.includes(metadata.name) &&
        status?.phase !== 'Bound',
    )
    .filter((claim) => classOf(world, claim)?.volumeBindingMode !== 'WaitForFirstConsumer')
}

function told({ metadata, spec, status }: VolumeClaim): string {
  const words = [
    status?.phase ?? 'unbound',
    spec.storageClassName && `class ${spec.storageClassName}`,
  ]
  return `PVC ${metadata.name} (${words.filter(Boolean).join(', ')})`
}

function classOf({ evidence }: World, { spec }: VolumeClaim): StorageClass | undefined {
  return evidence.objects.get<StorageClass>('StorageClass', undefined, spec.storageClassName ?? '')
}
