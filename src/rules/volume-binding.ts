import { isPodFinal } from '../kubevirt/pods.ts'
import { compare, parseQuantity, ZERO } from '../kubevirt/quantity.ts'
import type { KubeObject, Pod, Quantity } from '../kubevirt/types.ts'

export interface VolumeClaim extends KubeObject {
  spec: {
    accessModes?: string[]
    storageClassName?: string
    volumeMode?: string
    volumeName?: string
    resources?: { requests?: Record<string, Quantity> }
  }
  status?: { phase?: string; accessModes?: string[]; capacity?: Record<string, Quantity> }
}

export interface ClaimReference {
  apiVersion?: string | undefined
  kind?: string | undefined
  namespace?: string | undefined
  name?: string | undefined
  uid?: string | undefined
  resourceVersion?: string | undefined
}

export interface Volume extends KubeObject {
  spec: {
    accessModes?: string[]
    capacity?: { storage?: Quantity }
    claimRef?: ClaimReference
    persistentVolumeReclaimPolicy?: string
    storageClassName?: string
    volumeMode?: string
    [source: string]: unknown
  }
  status?: { phase?: string }
}

export interface StorageClass extends KubeObject {
  provisioner?: string
  reclaimPolicy?: string
  volumeBindingMode?: string
}

/** What a claim is tried with. */
export interface StorageView {
  classes: readonly StorageClass[]
  volumes: readonly Volume[]
  pods: readonly Pod[]
}

/** What becomes of a claim next; `type`, `reason` and `message` are those of the event that says why it waits. */
export type ClaimBinding =
  | { kind: 'bound' }
  /** It names no class, and gets the cluster's own. */
  | { kind: 'take-class'; name: string }
  | { kind: 'bind'; volume: Volume }
  /** Its first pod has a node: that is where the volume is to be reached. */
  | { kind: 'select-node'; node: string }
  | { kind: 'provision'; storageClass: StorageClass; provisioner: string }
  | { kind: 'wait'; type: 'Normal' | 'Warning'; reason: string; message: string }
  /** The volume that it names is not there, or is another's. */
  | { kind: 'wait-for-volume' }

export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
export const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'

/** What Kubernetes' volume controller decides of a claim, and in which order it asks. */
export function claimBinding(claim: VolumeClaim, view: StorageView): ClaimBinding {
  const { volumeName, storageClassName } = claim.spec
  if (claim.status?.phase === 'Bound') return { kind: 'bound' }
  if (volumeName) {
    const volume = view.volumes.find(({ metadata }) => metadata.name === volumeName)
    return volume && isFree(volume, claim) ? { kind: 'bind', volume } : { kind: 'wait-for-volume' }
  }
  if (storageClassName === undefined) {
    const own = defaultClass(view.classes)
    if (own) return { kind: 'take-class', name: own.metadata.name }
  }
  const storageClass = view.classes.find(({ metadata }) => metadata.name === storageClassName)
  const waits = storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
  if (waits && !claim.metadata.annotations?.[SELECTED_NODE]) return firstConsumer(claim, view.pods)
  const volume = smallestFitting(claim, view.volumes)
  if (volume) return { kind: 'bind', volume }
  if (!storageClassName) {
    const message = 'no persistent volumes available for this claim and no storage class is set'
    return { kind: 'wait', type: 'Normal', reason: 'FailedBinding', message }
  }
  if (!storageClass?.provisioner) {
    const message = `storageclass.storage.k8s.io "${storageClassName}" not found`
    return { kind: 'wait', type: 'Warning', reason: 'ProvisioningFailed', message }
  }
  return { kind: 'provision', storageClass, provisioner: storageClass.provisioner }
}

/** Of several, the newest. */
function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const marked = classes.filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true')
  const age = ({ metadata }: StorageClass) => metadata.creationTimestamp ?? ''
  return marked.sort((a, b) => age(b).localeCompare(age(a)))[0]
}

/** Pods that have not ended and mount the claim. */
function consumersOf({ metadata }: VolumeClaim, pods: readonly Pod[]): Pod[] {
  return pods.filter(
    (pod) =>
      pod.metadata.namespace === metadata.namespace &&
      !isPodFinal(pod) &&
      claimsIn(pod).includes(metadata.name),
  )
}

/** Whether a pod keeps the claim from going: every one that has a node, even one that has ended, as long as it is there. */
export function isHeld({ metadata }: VolumeClaim, pods: readonly Pod[]): boolean {
  return pods.some(
    (pod) =>
      pod.metadata.namespace === metadata.namespace &&
      pod.spec.nodeName !== undefined &&
      claimsIn(pod).includes(metadata.name),
  )
}

/**
 * What Kubernetes' scheduler (1.36) says of a pod because of its claims, before it looks at any node; undefined where it
 * may look. A claim whose class waits for its first consumer is given its volume by the pod's node.
 */
export function claimObstacle(
  pod: Pod,
  { claims, classes }: { claims: readonly VolumeClaim[]; classes: readonly StorageClass[] },
): string | undefined {
  const { namespace } = pod.metadata
  const own = claimsIn(pod).map((name) => ({
    name,
    claim: claims.find(
      ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
    ),
  }))
  for (const { name, claim } of own) {
    const what = `persistentvolumeclaim "${name}"`
    if (!claim) return `${what} not found`
    if (claim.status?.phase === 'Lost')
      return `${what} bound to non-existent persistentvolume "${claim.spec.volumeName ?? ''}"`
    if (claim.metadata.deletionTimestamp) return `${what} is being deleted`
  }
  const waits = ({ spec }: VolumeClaim) =>
    spec.volumeName === undefined &&
    classes.find(({ metadata }) => metadata.name === spec.storageClassName)?.volumeBindingMode ===
      'WaitForFirstConsumer'
  const unbound = own.some(({ claim }) => claim && claim.status?.phase !== 'Bound' && !waits(claim))
  return unbound ? 'pod has unbound immediate PersistentVolumeClaims' : undefined
}

/** Names of the claims that a pod mounts. */
export function claimsIn({ spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap((volume) => {
    const source = volume['persistentVolumeClaim'] as { claimName?: string } | undefined
    return source?.claimName ?? []
  })
}

/** Whether the claim is the one that the volume is bound, or kept, to. */
export function isClaimOf({ spec: { claimRef } }: Volume, { metadata }: VolumeClaim): boolean {
  return (
    claimRef?.namespace === metadata.namespace &&
    claimRef?.name === metadata.name &&
    (claimRef?.uid === undefined || claimRef.uid === metadata.uid)
  )
}

function firstConsumer(claim: VolumeClaim, pods: readonly Pod[]): ClaimBinding {
  const consumers = consumersOf(claim, pods)
  const node = consumers.find(({ spec }) => spec.nodeName)?.spec.nodeName
  if (node) return { kind: 'select-node', node }
  const names = consumers.map(({ metadata }) => metadata.name)
  if (names.length > 0) {
    const message = `waiting for pod ${names.join(',')} to be scheduled`
    return { kind: 'wait', type: 'Normal', reason: 'WaitForPodScheduled', message }
  }
  const message = 'waiting for first consumer to be created before binding'
  return { kind: 'wait', type: 'Normal', reason: 'WaitForFirstConsumer', message }
}

function smallestFitting(claim: VolumeClaim, volumes: readonly Volume[]): Volume | undefined {
  const asked = sizeOf(claim.spec.resources?.requests?.['storage'])
  return volumes
    .filter(
      (volume) =>
        isFree(volume, claim) &&
        (volume.spec.storageClassName ?? '') === (claim.spec.storageClassName ?? '') &&
        (volume.spec.volumeMode ?? 'Filesystem') === (claim.spec.volumeMode ?? 'Filesystem') &&
        (claim.spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode)) &&
        compare(sizeOf(volume.spec.capacity?.storage), asked) >= 0,
    )
    .sort((a, b) => compare(sizeOf(a.spec.capacity?.storage), sizeOf(b.spec.capacity?.storage)))[0]
}

function isFree(volume: Volume, claim: VolumeClaim): boolean {
  if (volume.metadata.deletionTimestamp || volume.status?.phase === 'Released') return false
  return !volume.spec.claimRef || isClaimOf(volume, claim)
}

const sizeOf = (quantity: Quantity | undefined) => parseQuantity(quantity) ?? ZERO
