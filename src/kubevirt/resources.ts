/** A kind of the Kubernetes API: enough to build a path and to name it to a person. */
export interface Resource {
  group: string
  version: string
  plural: string
  kind: string
  namespaced: boolean
}

function resource(
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced = true,
): Resource {
  return { group, version, plural, kind, namespaced }
}

export const MIGRATIONS = resource(
  'kubevirt.io',
  'v1',
  'virtualmachineinstancemigrations',
  'VirtualMachineInstanceMigration',
)
export const VMIS = resource(
  'kubevirt.io',
  'v1',
  'virtualmachineinstances',
  'VirtualMachineInstance',
)
export const VMS = resource('kubevirt.io', 'v1', 'virtualmachines', 'VirtualMachine')
export const KUBEVIRTS = resource('kubevirt.io', 'v1', 'kubevirts', 'KubeVirt')
export const MIGRATION_POLICIES = resource(
  'migrations.kubevirt.io',
  'v1alpha1',
  'migrationpolicies',
  'MigrationPolicy',
  false,
)
export const PODS = resource('', 'v1', 'pods', 'Pod')
export const CONFIG_MAPS = resource('', 'v1', 'configmaps', 'ConfigMap')
export const NODES = resource('', 'v1', 'nodes', 'Node', false)
export const NAMESPACES = resource('', 'v1', 'namespaces', 'Namespace', false)
export const EVENTS = resource('', 'v1', 'events', 'Event')
export const RESOURCE_QUOTAS = resource('', 'v1', 'resourcequotas', 'ResourceQuota')
export const PVCS = resource('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim')
export const LIMIT_RANGES = resource('', 'v1', 'limitranges', 'LimitRange')
export const PERSISTENT_VOLUMES = resource('', 'v1', 'persistentvolumes', 'PersistentVolume', false)
export const STORAGE_CLASSES = resource(
  'storage.k8s.io',
  'v1',
  'storageclasses',
  'StorageClass',
  false,
)
export const VOLUME_ATTACHMENTS = resource(
  'storage.k8s.io',
  'v1',
  'volumeattachments',
  'VolumeAttachment',
  false,
)
export const DISRUPTION_BUDGETS = resource(
  'policy',
  'v1',
  'poddisruptionbudgets',
  'PodDisruptionBudget',
)
export const CONTROLLER_REVISIONS = resource(
  'apps',
  'v1',
  'controllerrevisions',
  'ControllerRevision',
)
export const DAEMON_SETS = resource('apps', 'v1', 'daemonsets', 'DaemonSet')
export const DEPLOYMENTS = resource('apps', 'v1', 'deployments', 'Deployment')
export const REPLICA_SETS = resource('apps', 'v1', 'replicasets', 'ReplicaSet')
export const ENDPOINTS = resource('', 'v1', 'endpoints', 'Endpoints')
export const SERVICES = resource('', 'v1', 'services', 'Service')
export const ENDPOINT_SLICES = resource('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice')
export const JOBS = resource('batch', 'v1', 'jobs', 'Job')
export const LEASES = resource('coordination.k8s.io', 'v1', 'leases', 'Lease')
export const NETWORK_ATTACHMENT_DEFINITIONS = resource(
  'k8s.cni.cncf.io',
  'v1',
  'network-attachment-definitions',
  'NetworkAttachmentDefinition',
)
export const NETWORK_POLICIES = resource(
  'networking.k8s.io',
  'v1',
  'networkpolicies',
  'NetworkPolicy',
)
export const STORAGE_PROFILES = resource(
  'cdi.kubevirt.io',
  'v1beta1',
  'storageprofiles',
  'StorageProfile',
  false,
)
export const HYPERCONVERGEDS = resource(
  'hco.kubevirt.io',
  'v1beta1',
  'hyperconvergeds',
  'HyperConverged',
)

/** `/api/v1/…` or `/apis/GROUP/VERSION/…`, with namespace, name and subresource where given. */
export function pathOf(
  of: Resource,
  at: { namespace?: string | undefined; name?: string; subresource?: string } = {},
): string {
  const parts = [of.group ? `/apis/${of.group}/${of.version}` : `/api/${of.version}`]
  if (of.namespaced && at.namespace !== undefined)
    parts.push('namespaces', encodeURIComponent(at.namespace))
  parts.push(of.plural)
  if (at.name !== undefined) parts.push(encodeURIComponent(at.name))
  if (at.subresource !== undefined) parts.push(at.subresource)
  return parts.join('/')
}
