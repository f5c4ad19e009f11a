import { LABEL } from '../../../kubevirt/labels.ts'
import { currentPodOf, isPodFinal, targetPodOf } from '../../../kubevirt/pods.ts'
import type {
  KubeVirt,
  Migration,
  MigrationPolicy,
  Namespace,
  Node,
  Pod,
  ResourceQuota,
  Vmi,
} from '../../../kubevirt/types.ts'
import { claimMadeFor, type StateStorage } from '../../../rules/backend-storage.ts'
import type { ClusterView } from '../../../rules/capacity.ts'
import type { Observed } from '../../../rules/transitions.ts'
import type { VolumeClaim } from '../../../rules/volume-binding.ts'
import { type Caches, stateStorage } from '../caches.ts'

/** All that a pass over one migration goes by, as the caches have it. */
export interface Situation extends Observed {
  vmi: Vmi
  /** The pod that the VM runs in, and its node. */
  sourcePod: Pod | undefined
  sourceNode: Node | undefined
  /** How many of the VM's pods have not ended. */
  livePods: number
  /** All migrations of the VM, this one too. */
  siblings: Migration[]
  /** Some target pod, of whichever migration, was made and is not seen yet. */
  creating: boolean
  view: ClusterView
  nodes: Node[]
  policies: MigrationPolicy[]
  namespace: Namespace | undefined
  quotas: ResourceQuota[]
  /** Of the namespace. */
  claims: VolumeClaim[]
  /** Of the VM's TPM and EFI, on the target: what the migration names, or was made for it. */
  targetClaim: VolumeClaim | undefined
  storage: StateStorage
  kubevirt: KubeVirt | undefined
}

export function situationOf(
  migration: Migration,
  vmi: Vmi,
  caches: Caches,
  { handedOff, creating }: { handedOff: boolean; creating: boolean },
): Situation {
  const { namespace } = migration.metadata
  const owned = caches.podsOf(vmi)
  const siblings = caches.migrationsOf(namespace, vmi.metadata.name)
  const slot = vmi.status?.migrationState?.migrationUid
  const kubevirt = caches.kubevirt()
  const pods = caches.pods.list()
  const claims = caches.claims.list().filter(({ metadata }) => metadata.namespace === namespace)
  return {
    migration,
    vmi,
    targetPod: targetPodOf(migration.metadata.uid, vmi, owned),
    attachmentPod: pods.find(
      ({ metadata: { labels } }) =>
        labels?.[LABEL.app] === 'hotplug-disk' &&
        labels[LABEL.migrationJobUid] === migration.metadata.uid,
    ),
    handedOff,
    slotOwner: siblings.find(({ metadata }) => slot !== undefined && metadata.uid === slot),
    sourcePod: currentPodOf(vmi, owned),
    sourceNode: caches.nodes.get(undefined, vmi.status?.nodeName ?? ''),
    livePods: owned.filter((pod) => !isPodFinal(pod)).length,
    siblings,
    creating,
    view: {
      migrations: caches.migrations.list(),
      vmis: caches.vmis.list(),
      pods: pods.filter(({ metadata }) => metadata.labels?.[LABEL.app] === 'virt-launcher'),
      kubevirt,
    },
    nodes: caches.nodes.list(),
    policies: caches.policies.list(),
    namespace: caches.namespaces.get(undefined, namespace ?? ''),
    quotas: caches.quotas.list().filter(({ metadata }) => metadata.namespace === namespace),
    claims,
    targetClaim: claimMadeFor(migration, claims),
    storage: stateStorage(caches),
    kubevirt,
  }
}
