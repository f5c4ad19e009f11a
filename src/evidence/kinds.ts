/**
 * The kinds that bear on a migration; all others are skipped. Of Secrets and ConfigMaps only certificates are kept,
 * and of these only the public part (shape.ts).
 */
export const KINDS: ReadonlySet<string> = new Set([
  'Certificate',
  'ConfigMap',
  'DaemonSet',
  'DataVolume',
  'Deployment',
  'Event',
  'HyperConverged',
  'Job',
  'KubeVirt',
  'Lease',
  'LimitRange',
  'MigrationPolicy',
  'Namespace',
  'NetworkAttachmentDefinition',
  'NetworkPolicy',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodDisruptionBudget',
  'ResourceQuota',
  'Secret',
  'StorageClass',
  'StorageProfile',
  'VirtualMachine',
  'VirtualMachineInstance',
  'VirtualMachineInstanceMigration',
  'VolumeAttachment',
])

export function isWanted(kind: string): boolean {
  return KINDS.has(kind)
}
