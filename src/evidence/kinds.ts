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

/** What the text of the few objects of a kind holds that are kept; there can be thousands of others. */
const HOLDS: Record<string, string> = { ConfigMap: 'ca-bundle', Secret: 'tls.crt' }

/** @param text the whole object, where it has not been parsed yet */
export function isWanted(kind: string, text?: string): boolean {
  const needle = HOLDS[kind]
  return KINDS.has(kind) && (needle === undefined || text === undefined || text.includes(needle))
}
