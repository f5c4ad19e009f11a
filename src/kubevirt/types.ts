/**
 * The objects of Kubernetes and KubeVirt as they come over the wire (1.0 to main), as far as anything here reads them.
 * Every field is optional that any release may leave out; objects carry fields that are not named here, and those are
 * never lost: what is written back is a patch. Source: fact sheet control-plane.md §1.
 */

export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

interface ObjectMeta {
  name: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  /** RFC 3339. */
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
}

export interface KubeObject {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
}

export interface KubeList<T extends KubeObject = KubeObject> {
  apiVersion?: string
  kind?: string
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number }
  items: T[]
}

export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason?: string
  message?: string
  observedGeneration?: number
  lastProbeTime?: string | null
  lastTransitionTime?: string | null
}

/** A Kubernetes quantity ("64Mi", "100m", 5): a string or a number, by release and writer. */
export type Quantity = string | number

/** `vmi.status.migrationState`: one slot for the latest handed-off migration (§1.4). Compare `migrationUid` first. */
export interface MigrationState {
  migrationUid?: string
  sourceNode?: string
  sourcePod?: string
  targetNode?: string
  targetPod?: string
  targetAttachmentPodUID?: string
  targetNodeAddress?: string
  /** Real TCP port (as a string) to label (0, 49152, 49153). */
  targetDirectMigrationNodePorts?: Record<string, number | string>
  targetNodeDomainDetected?: boolean
  targetNodeDomainReadyTimestamp?: string
  startTimestamp?: string
  endTimestamp?: string
  completed?: boolean
  failed?: boolean
  failureReason?: string
  abortRequested?: boolean
  abortStatus?: string
  mode?: string
  migrationPolicyName?: string
  migrationConfiguration?: MigrationConfiguration
  targetMemoryOverhead?: Quantity
  sourcePersistentStatePVCName?: string
  targetPersistentStatePVCName?: string
  sourceState?: Record<string, unknown>
  targetState?: Record<string, unknown>
}

/** `spec.configuration.migrations` of the KubeVirt CR, and what a hand-off resolves from it and a policy (§1.6). */
export interface MigrationConfiguration {
  parallelMigrationsPerCluster?: number | string
  parallelOutboundMigrationsPerNode?: number | string
  /** Bytes a second; 0 is no limit. */
  bandwidthPerMigration?: Quantity
  completionTimeoutPerGiB?: number | string
  progressTimeout?: number | string
  maxDowntimeMs?: number | string
  utilityVolumesTimeout?: number | string
  allowAutoConverge?: boolean
  allowPostCopy?: boolean
  allowWorkloadDisruption?: boolean
  unsafeMigrationOverride?: boolean
  nodeDrainTaintKey?: string
  disableTLS?: boolean
  network?: string
  matchSELinuxLevelOnMigration?: boolean
  experimental?: Record<string, unknown>
}

export interface Migration extends KubeObject {
  spec: {
    vmiName?: string
    addedNodeSelector?: Record<string, string>
    priority?: string
    sendTo?: { migrationID: string; connectURL: string }
    receive?: { migrationID: string }
  }
  status?: {
    phase?: string
    conditions?: Condition[]
    phaseTransitionTimestamps?: { phase: string; phaseTransitionTimestamp: string }[]
    migrationState?: MigrationState
    /** Where other clusters reach this one (since 1.6). */
    synchronizationAddresses?: string[] | null
  }
}

export interface VmiVolume {
  name: string
  persistentVolumeClaim?: { claimName: string; hotpluggable?: boolean }
  dataVolume?: { name: string; hotpluggable?: boolean }
  hostDisk?: { path: string; shared?: boolean }
  [source: string]: unknown
}

export interface VmiSpec {
  evictionStrategy?: string
  terminationGracePeriodSeconds?: number
  nodeSelector?: Record<string, string>
  affinity?: Record<string, unknown>
  tolerations?: Toleration[]
  priorityClassName?: string
  schedulerName?: string
  topologySpreadConstraints?: Record<string, unknown>[]
  hostname?: string
  subdomain?: string
  domain?: {
    machine?: { type?: string }
    resources?: {
      requests?: Record<string, Quantity>
      limits?: Record<string, Quantity>
      overcommitGuestOverhead?: boolean
    }
    memory?: { guest?: Quantity; hugepages?: { pageSize?: string }; [field: string]: unknown }
    cpu?: {
      cores?: number
      sockets?: number
      threads?: number
      model?: string
      features?: { name: string; policy?: string }[]
      dedicatedCpuPlacement?: boolean
      isolateEmulatorThread?: boolean
      [field: string]: unknown
    }
    devices?: {
      disks?: { name: string; [field: string]: unknown }[]
      interfaces?: { name: string; [binding: string]: unknown }[]
      autoattachGraphicsDevice?: boolean
      logSerialConsole?: boolean
      [field: string]: unknown
    }
    [field: string]: unknown
  }
  networks?: { name: string; pod?: unknown; multus?: { networkName: string; default?: boolean } }[]
  volumes?: VmiVolume[]
  utilityVolumes?: VmiVolume[]
}

export interface Vmi extends KubeObject {
  spec: VmiSpec
  status?: {
    phase?: string
    nodeName?: string
    conditions?: Condition[]
    migrationState?: MigrationState
    migrationMethod?: string
    migrationTransport?: string
    activePods?: Record<string, string>
    evacuationNodeName?: string
    selinuxContext?: string
    runtimeUser?: number
    machine?: { type?: string }
    interfaces?: { name?: string; ipAddress?: string; [field: string]: unknown }[]
    volumeStatus?: {
      name: string
      hotplugVolume?: Record<string, unknown>
      persistentVolumeClaimInfo?: {
        accessModes?: string[]
        claimName?: string
        volumeMode?: string
      }
      [field: string]: unknown
    }[]
    migratedVolumes?: Record<string, unknown>[]
    launcherContainerImageVersion?: string
    phaseTransitionTimestamps?: { phase: string; phaseTransitionTimestamp: string }[]
    [field: string]: unknown
  }
}

export interface Vm extends KubeObject {
  spec: {
    runStrategy?: string
    running?: boolean
    template?: { metadata?: ObjectMeta; spec: VmiSpec }
    /** `Migration`: other claims for its volumes are filled while it runs. */
    updateVolumesStrategy?: string
  }
  status?: {
    printableStatus?: string
    ready?: boolean
    created?: boolean
    conditions?: Condition[]
    /** As it was when the VM was last seen with a VMI. */
    runStrategy?: string
    /** What virt-api was asked for, the first of it under way. */
    stateChangeRequests?: { action: string; uid?: string; data?: Record<string, string> }[]
    startFailure?: {
      consecutiveFailCount?: number
      lastFailedVMIUID?: string
      retryAfterTimestamp?: string
    }
    volumeUpdateState?: { volumeMigrationState?: { migratedVolumes?: Record<string, unknown>[] } }
    [field: string]: unknown
  }
}

export interface Toleration {
  key?: string
  operator?: string
  value?: string
  effect?: string
  tolerationSeconds?: number
}

export interface Container {
  name: string
  image?: string
  restartPolicy?: string
  resources?: { requests?: Record<string, Quantity>; limits?: Record<string, Quantity> }
  [field: string]: unknown
}

export interface ContainerStatus {
  name: string
  image?: string
  imageID?: string
  containerID?: string
  ready?: boolean
  started?: boolean
  restartCount?: number
  state?: {
    waiting?: { reason?: string; message?: string }
    running?: { startedAt?: string }
    terminated?: {
      exitCode?: number
      reason?: string
      message?: string
      startedAt?: string
      finishedAt?: string
      containerID?: string
    }
  }
  lastState?: ContainerStatus['state']
}

export interface Pod extends KubeObject {
  spec: {
    nodeName?: string
    nodeSelector?: Record<string, string>
    affinity?: Record<string, unknown>
    tolerations?: Toleration[]
    containers: Container[]
    initContainers?: Container[]
    volumes?: { name: string; [source: string]: unknown }[]
    readinessGates?: { conditionType: string }[]
    securityContext?: Record<string, unknown>
    terminationGracePeriodSeconds?: number
    restartPolicy?: string
    schedulerName?: string
    [field: string]: unknown
  }
  status?: {
    phase?: string
    reason?: string
    message?: string
    podIP?: string
    podIPs?: { ip: string }[]
    startTime?: string
    qosClass?: string
    conditions?: Condition[]
    containerStatuses?: ContainerStatus[]
    initContainerStatuses?: ContainerStatus[]
  }
}

export interface Taint {
  key: string
  value?: string
  effect: string
  timeAdded?: string
}

export interface Node extends KubeObject {
  spec: { unschedulable?: boolean; taints?: Taint[]; podCIDR?: string }
  status?: {
    conditions?: Condition[]
    allocatable?: Record<string, Quantity>
    capacity?: Record<string, Quantity>
    addresses?: { type: string; address: string }[]
    nodeInfo?: Record<string, string>
  }
}

export interface KubeVirt extends KubeObject {
  spec: {
    configuration?: {
      migrations?: MigrationConfiguration
      evictionStrategy?: string
      developerConfiguration?: {
        featureGates?: string[]
        disabledFeatureGates?: string[]
        memoryOvercommit?: number | string
        cpuAllocationRatio?: number | string
        nodeSelectors?: Record<string, string>
        [field: string]: unknown
      }
      [field: string]: unknown
    }
    workloadUpdateStrategy?: {
      workloadUpdateMethods?: string[]
      batchEvictionSize?: number
      /** As Go writes durations: `1m0s`. */
      batchEvictionInterval?: string
      [field: string]: unknown
    }
    [field: string]: unknown
  }
  status?: {
    phase?: string
    observedKubeVirtVersion?: string
    targetKubeVirtVersion?: string
    operatorVersion?: string
    defaultArchitecture?: string
    outdatedVirtualMachineInstanceWorkloads?: number
    conditions?: Condition[]
    [field: string]: unknown
  }
}

export interface MigrationPolicy extends KubeObject {
  spec: {
    selectors?: {
      namespaceSelector?: Record<string, string>
      virtualMachineInstanceSelector?: Record<string, string>
    } | null
    allowAutoConverge?: boolean
    bandwidthPerMigration?: Quantity
    completionTimeoutPerGiB?: number | string
    maxDowntimeMs?: number | string
    allowPostCopy?: boolean
    allowWorkloadDisruption?: boolean
    experimental?: Record<string, unknown>
  }
}

export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] }
  status?: { phase?: string }
}

export interface ResourceQuota extends KubeObject {
  spec: {
    hard?: Record<string, Quantity>
    scopes?: string[]
    scopeSelector?: {
      matchExpressions?: { scopeName: string; operator: string; values?: string[] }[]
    }
  }
  status?: { hard?: Record<string, Quantity>; used?: Record<string, Quantity> }
}

export interface Event extends KubeObject {
  type?: string
  reason?: string
  message?: string
  count?: number
  firstTimestamp?: string | null
  lastTimestamp?: string | null
  eventTime?: string | null
  source?: { component?: string; host?: string }
  reportingComponent?: string
  involvedObject: {
    apiVersion?: string
    kind?: string
    namespace?: string
    name?: string
    uid?: string
    fieldPath?: string
    resourceVersion?: string
  }
}
