/** Labels, annotations and finalizers of KubeVirt that bear on a migration (fact sheet control-plane.md §1.5). */
export const LABEL = {
  app: 'kubevirt.io',
  createdBy: 'kubevirt.io/created-by',
  memoryOverheadRatio: 'kubevirt.io/memory-hotplug-overhead-ratio',
  migrationJobUid: 'kubevirt.io/migrationJobUID',
  migrationName: 'kubevirt.io/migrationName',
  migrationTargetNode: 'kubevirt.io/migrationTargetNodeName',
  nodeName: 'kubevirt.io/nodeName',
  outdatedLauncherImage: 'kubevirt.io/outdatedLauncherImage',
  persistentStateFor: 'persistent-state-for',
  podCpuLimits: 'kubevirt.io/vmi-pod-cpu-resource-limits',
  podMemoryRequests: 'kubevirt.io/vmi-pod-memory-resource-requests',
  schedulable: 'kubevirt.io/schedulable',
  vmName: 'vm.kubevirt.io/name',
  vmiId: 'vmi.kubevirt.io/id',
  vmiName: 'kubevirt.io/vmi-name',
  volumeUpdate: 'kubevirt.io/volume-update-migration',
} as const

export const ANNOTATION = {
  abortWorkloadUpdate: 'kubevirt.io/testWorkloadUpdateMigrationAbortion',
  domain: 'kubevirt.io/domain',
  ephemeralVolumes: 'kubevirt.io/ephemeral-hotplug-volumes',
  hookSidecars: 'hooks.kubevirt.io/hookSidecars',
  evictionSource: 'kubevirt.io/eviction-source',
  evacuationMigration: 'kubevirt.io/evacuationMigration',
  ignoreBackoff: 'kubevirt.io/func-test-ignore-migration-backoff',
  latestApiVersion: 'kubevirt.io/latest-observed-api-version',
  memoryOverheadBytes: 'kubevirt.io/memory-overhead-bytes',
  migrationJobName: 'kubevirt.io/migrationJobName',
  migrationTransportUnix: 'kubevirt.io/migrationTransportUnix',
  nonroot: 'kubevirt.io/nonroot',
  receiver: 'kubevirt.io/create-migration-target',
  restoreStrategy: 'kubevirt.io/restore-run-strategy',
  pendingTimeout: 'kubevirt.io/migrationPendingPodTimeoutSeconds',
  targetImageOverride: 'kubevirt.io/func-test-migration-target-image-override',
  storageApiVersion: 'kubevirt.io/storage-observed-api-version',
  targetReadyTimestamp: 'kubevirt.io/migration-target-ready-timestamp',
  unschedulableTimeout: 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds',
  utilityVolumesTimeout: 'kubevirt.io/migrationUtilityVolumesTimeoutSeconds',
  vmGeneration: 'kubevirt.io/vm-generation',
  workloadUpdateMigration: 'kubevirt.io/workloadUpdateMigration',
} as const

export const MIGRATION_FINALIZER = 'kubevirt.io/migrationJobFinalize'
export const VMI_FINALIZER = 'kubevirt.io/foregroundDeleteVirtualMachine'
export const VM_FINALIZER = 'kubevirt.io/virtualMachineControllerFinalize'
