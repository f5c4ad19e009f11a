import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { type Informer, startInformer } from '../../cluster/informer.ts'
import { LABEL } from '../../kubevirt/labels.ts'
import {
  DISRUPTION_BUDGETS,
  KUBEVIRTS,
  MIGRATION_POLICIES,
  MIGRATIONS,
  NAMESPACES,
  NODES,
  PODS,
  PVCS,
  RESOURCE_QUOTAS,
  type Resource,
  STORAGE_CLASSES,
  STORAGE_PROFILES,
  VMIS,
  VMS,
} from '../../kubevirt/resources.ts'
import type {
  KubeObject,
  KubeVirt,
  Migration,
  MigrationPolicy,
  Namespace,
  Node,
  Pod,
  ResourceQuota,
  Vm,
  Vmi,
} from '../../kubevirt/types.ts'
import type { StateStorage, StorageProfile } from '../../rules/backend-storage.ts'
import type { DisruptionBudget } from '../../rules/disruption-budget.ts'
import type { StorageClass, VolumeClaim } from '../../rules/volume-binding.ts'

/** What all controllers read: one cache a kind, shared. Their objects are not to be changed. */
export interface Caches {
  migrations: Informer<Migration>
  vmis: Informer<Vmi>
  vms: Informer<Vm>
  pods: Informer<Pod>
  nodes: Informer<Node>
  namespaces: Informer<Namespace>
  policies: Informer<MigrationPolicy>
  quotas: Informer<ResourceQuota>
  claims: Informer<VolumeClaim>
  storageClasses: Informer<StorageClass>
  storageProfiles: Informer<StorageProfile>
  budgets: Informer<DisruptionBudget>
  kubevirts: Informer<KubeVirt>
  /** The one KubeVirt CR, if there is one. */
  kubevirt(): KubeVirt | undefined
  migrationsOf(namespace: string | undefined, vmiName: string): Migration[]
  /** Pods that the VMI controls, its launchers of all moves. */
  podsOf(vmi: Vmi): Pod[]
  synced: Promise<unknown>
  close(): Promise<void>
}

export function startCaches(cluster: Cluster, clock: Clock, signal: AbortSignal): Caches {
  const start = <T extends KubeObject>(
    resource: Resource,
    indexes: Record<string, (object: T) => string[]> = {},
  ) => startInformer<T>(cluster, resource, { clock, signal, indexes })

  const migrations = start<Migration>(MIGRATIONS, {
    vmi: ({ metadata, spec }) => [keyOf(metadata.namespace, spec.vmiName ?? '')],
  })
  const pods = start<Pod>(PODS, {
    owner: ({ metadata }) =>
      (metadata.ownerReferences ?? []).filter((owner) => owner.controller).map(({ uid }) => uid),
    vmi: ({ metadata }) => [metadata.labels?.[LABEL.createdBy] ?? ''],
  })
  const all = {
    migrations,
    pods,
    vmis: start<Vmi>(VMIS, { node: ({ status }) => [status?.nodeName ?? ''] }),
    vms: start<Vm>(VMS),
    nodes: start<Node>(NODES),
    namespaces: start<Namespace>(NAMESPACES),
    policies: start<MigrationPolicy>(MIGRATION_POLICIES),
    quotas: start<ResourceQuota>(RESOURCE_QUOTAS),
    claims: start<VolumeClaim>(PVCS),
    storageClasses: start<StorageClass>(STORAGE_CLASSES),
    storageProfiles: start<StorageProfile>(STORAGE_PROFILES),
    budgets: start<DisruptionBudget>(DISRUPTION_BUDGETS),
    kubevirts: start<KubeVirt>(KUBEVIRTS),
  }
  const informers = Object.values(all)
  return {
    ...all,
    kubevirt: () => all.kubevirts.list()[0],
    migrationsOf: (namespace, vmiName) => migrations.by('vmi', keyOf(namespace, vmiName)),
    podsOf: ({ metadata }) => pods.by('owner', metadata.uid ?? ''),
    synced: Promise.all(informers.map(({ synced }) => synced)),
    async close() {
      await Promise.all(informers.map((informer) => informer.close()))
    },
  }
}

/** `namespace/name`, what queues work on. */
export function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`
}

export function parseKey(key: string): { namespace: string; name: string } {
  const at = key.indexOf('/')
  return { namespace: key.slice(0, at), name: key.slice(at + 1) }
}

export function keyOfObject({ metadata }: KubeObject): string {
  return keyOf(metadata.namespace, metadata.name)
}

/** What it takes to say which claim a VM's state gets. */
export function stateStorage(caches: Caches): StateStorage {
  const { storageClasses, storageProfiles } = caches
  return {
    kubevirt: caches.kubevirt(),
    classes: storageClasses.list(),
    profiles: storageProfiles.list(),
  }
}
