/**
 * What `kubectl explain` says of the fields that bear on a migration, by type (schema/types.ts) and field. Our own words,
 * after fact sheet control-plane.md §1.
 */
const SETTINGS = {
  allowAutoConverge:
    'Whether the guest is slowed down when it writes faster than it can be copied.',
  allowPostCopy: 'Whether the guest may go on at the target before all of its memory is there.',
  allowWorkloadDisruption:
    'Whether a copy that takes too long may pause the guest or turn to post-copy.',
  bandwidthPerMigration: 'How much each migration may send a second; 0 is no limit.',
  completionTimeoutPerGiB:
    'Seconds that a copy may take for each GiB of memory (and of disks that are copied).',
  maxDowntimeMs: 'Milliseconds that the guest may stand still at the switch-over.',
}

/** What `kubectl explain` says of a kind itself, by its type. */
export const KIND_DESCRIPTIONS: Record<string, string> = {
  'kv.KubeVirt': 'How KubeVirt is set up in this cluster, migrations among the rest.',
  'kv.MigrationPolicy':
    'Settings for the migrations of some VMs, in place of those of the cluster.',
  'kv.VirtualMachine': 'A virtual machine, whether it runs or not, with what it is to be like.',
  'kv.VirtualMachineInstance': 'A virtual machine that runs, and the state of its last migration.',
  'kv.VirtualMachineInstanceMigration':
    'The wish to move a VMI to another node, and how far that has come.',
}

/** What every kind has. */
export const COMMON_DESCRIPTIONS: Record<string, string> = {
  apiVersion: 'Group and version of the API that the object is written in.',
  kind: 'What sort of object it is, in CamelCase. It cannot be changed.',
  metadata: 'Name, namespace, labels, annotations, owners and what else all objects have.',
}

export const DESCRIPTIONS: Record<string, Record<string, string>> = {
  'kv.VirtualMachineInstanceMigration': {
    spec: 'What is to be moved. It cannot be changed once the migration is created.',
    status: 'How far the migration has come.',
  },
  'kv.VirtualMachineInstanceMigrationSpec': {
    vmiName: 'The VMI to move, in the same namespace.',
    addedNodeSelector: 'Labels that the target node must have beside those the VM itself asks for.',
    priority: 'Set by KubeVirt itself for moves that it starts; others may not set it.',
    sendTo: 'Makes this the source half of a move to another cluster or namespace.',
    receive: 'Makes this the target half of a move from another cluster or namespace.',
  },
  'kv.VirtualMachineInstanceMigrationStatus': {
    phase:
      'Pending, Scheduling, Scheduled, PreparingTarget, TargetReady, Running, then Succeeded or Failed.',
    conditions: 'What holds the migration up, or that it is to be aborted.',
    phaseTransitionTimestamps: 'When each phase was entered first.',
    migrationState: 'Mostly empty until the end; the VMI has the current state.',
  },
  'kv.VirtualMachineInstanceMigrationState': {
    migrationUid: 'Whose state this is: a VMI keeps the state of its last migration.',
    sourceNode: 'The node that the VM leaves.',
    targetNode: 'The node that the VM moves to.',
    targetPod: 'The pod that the VM moves into.',
    targetNodeAddress: 'Where the target listens for the copy.',
    targetDirectMigrationNodePorts:
      'The TCP ports that the target listens on, each with what it is for: 0 control, 49152 memory, 49153 disks.',
    mode: 'PreCopy, PostCopy or Paused.',
    startTimestamp: 'When the copy began.',
    endTimestamp: 'When the copy ended, well or not.',
    completed: 'That it has ended, well or not.',
    failed: 'That it did not end well.',
    failureReason: 'Why it did not end well.',
    abortRequested: 'That it is to be aborted.',
    abortStatus: 'How aborting it went.',
    migrationPolicyName: 'The policy that was in force when the migration was handed over.',
    migrationConfiguration: 'The settings that were in force when the migration was handed over.',
  },
  'kv.MigrationPolicySpec': {
    ...SETTINGS,
    selectors: 'Which VMs this policy is for. Without them it is for none.',
  },
  'kv.Selectors': {
    namespaceSelector: 'Labels that the namespace must have.',
    virtualMachineInstanceSelector: 'Labels that the VMI must have.',
  },
  'kv.MigrationConfiguration': {
    ...SETTINGS,
    parallelMigrationsPerCluster: 'How many migrations may run at the same time.',
    parallelOutboundMigrationsPerNode: 'How many of them may leave one node.',
    progressTimeout: 'Seconds without progress after which a copy is given up.',
    network: 'The network attachment that copies go over; the pod network when unset.',
    disableTLS: 'Whether copies go unencrypted.',
  },
}
