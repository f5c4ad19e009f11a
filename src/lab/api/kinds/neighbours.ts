import { ageOf } from '../human-duration.ts'
import { type ApiObject, type Column, defineKind, type Kind } from '../kind.ts'
import type { FieldError } from '../status.ts'
import { budgetFaults } from './budget-validation.ts'
import { forbidden, invalid, oneOf } from './faults.ts'
import { pick, text } from './fields.ts'
import { JOB } from './job.ts'
import { claimFaults, storageClassFaults, volumeFaults } from './volume-validation.ts'

const AGE: Column = {
  name: 'Age',
  cell: (object, now) => ageOf(object.metadata.creationTimestamp, now),
}

/** Kinds of other groups that stand around a migration: storage, budgets, leases, jobs, networks. */
export const NEIGHBOUR_KINDS: Kind[] = [
  defineKind({
    group: '',
    version: 'v1',
    plural: 'persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    shortNames: ['pvc'],
    hasStatus: true,
    returnsDeleted: true,
    columns: [
      {
        name: 'Status',
        cell: (o) => (o.metadata.deletionTimestamp ? 'Terminating' : text(o, 'status.phase')),
      },
      { name: 'Volume', cell: (o) => text(o, 'spec.volumeName') },
      {
        name: 'Capacity',
        cell: (o) => (text(o, 'spec.volumeName') ? text(o, 'status.capacity.storage') : ''),
      },
      {
        name: 'Access Modes',
        cell: (o) => (text(o, 'spec.volumeName') ? accessModes(pick(o, 'status.accessModes')) : ''),
      },
      { name: 'StorageClass', cell: (o) => text(o, 'spec.storageClassName') },
      {
        name: 'VolumeAttributesClass',
        cell: (o) => text(o, 'spec.volumeAttributesClassName') || '<unset>',
      },
      AGE,
      { name: 'VolumeMode', priority: 1, cell: (o) => text(o, 'spec.volumeMode') || '<unset>' },
    ],
    defaults(object) {
      object['spec'] = { volumeMode: 'Filesystem', ...(pick(object, 'spec') as object) }
    },
    prepare(object) {
      object['status'] = { phase: 'Pending' }
    },
    validate: claimFaults,
  }),
  defineKind({
    group: '',
    version: 'v1',
    plural: 'persistentvolumes',
    kind: 'PersistentVolume',
    shortNames: ['pv'],
    namespaced: false,
    hasStatus: true,
    returnsDeleted: true,
    columns: [
      { name: 'Capacity', cell: (o) => text(o, 'spec.capacity.storage') },
      { name: 'Access Modes', cell: (o) => accessModes(pick(o, 'spec.accessModes')) },
      { name: 'Reclaim Policy', cell: (o) => text(o, 'spec.persistentVolumeReclaimPolicy') },
      {
        name: 'Status',
        cell: (o) => (o.metadata.deletionTimestamp ? 'Terminating' : text(o, 'status.phase')),
      },
      { name: 'Claim', cell: claim },
      { name: 'StorageClass', cell: (o) => text(o, 'spec.storageClassName') },
      {
        name: 'VolumeAttributesClass',
        cell: (o) => text(o, 'spec.volumeAttributesClassName') || '<unset>',
      },
      { name: 'Reason', cell: (o) => text(o, 'status.reason') },
      AGE,
      { name: 'VolumeMode', priority: 1, cell: (o) => text(o, 'spec.volumeMode') || '<unset>' },
    ],
    defaults(object) {
      object['spec'] = {
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode: 'Filesystem',
        ...(pick(object, 'spec') as object),
      }
    },
    prepare(object) {
      object['status'] = { phase: 'Pending' }
    },
    validate: volumeFaults,
  }),
  defineKind({
    group: 'storage.k8s.io',
    version: 'v1',
    plural: 'storageclasses',
    kind: 'StorageClass',
    shortNames: ['sc'],
    namespaced: false,
    returnsDeleted: true,
    namelessTable: true,
    columns: [
      { name: 'Name', format: 'name', cell: className },
      { name: 'Provisioner', cell: 'provisioner' },
      { name: 'ReclaimPolicy', cell: 'reclaimPolicy' },
      { name: 'VolumeBindingMode', cell: 'volumeBindingMode' },
      { name: 'AllowVolumeExpansion', cell: (o) => pick(o, 'allowVolumeExpansion') ?? false },
      AGE,
    ],
    defaults(object) {
      object['reclaimPolicy'] ??= 'Delete'
      object['volumeBindingMode'] ??= 'Immediate'
    },
    validate: storageClassFaults,
  }),
  defineKind({
    group: 'storage.k8s.io',
    version: 'v1',
    plural: 'volumeattachments',
    kind: 'VolumeAttachment',
    namespaced: false,
    hasStatus: true,
    columns: [
      { name: 'Attacher', cell: 'spec.attacher' },
      { name: 'PV', cell: (o) => text(o, 'spec.source.persistentVolumeName') },
      { name: 'Node', cell: 'spec.nodeName' },
      {
        name: 'Attached',
        type: 'boolean',
        cell: (o) => pick(o, 'status.attached') ?? false,
      },
      AGE,
    ],
    prepare(object) {
      object['status'] = { attached: false }
    },
  }),
  defineKind({
    group: 'policy',
    version: 'v1',
    plural: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    shortNames: ['pdb'],
    hasStatus: true,
    hasGeneration: true,
    columns: [
      { name: 'Min Available', cell: (o) => pick(o, 'spec.minAvailable') ?? 'N/A' },
      { name: 'Max Unavailable', cell: (o) => pick(o, 'spec.maxUnavailable') ?? 'N/A' },
      {
        name: 'Allowed Disruptions',
        type: 'integer',
        cell: (o) => pick(o, 'status.disruptionsAllowed') ?? 0,
      },
      AGE,
    ],
    prepare(object) {
      object['status'] = {
        disruptionsAllowed: 0,
        currentHealthy: 0,
        desiredHealthy: 0,
        expectedPods: 0,
      }
    },
    validate: budgetFaults,
  }),
  defineKind({
    group: 'scheduling.k8s.io',
    version: 'v1',
    plural: 'priorityclasses',
    kind: 'PriorityClass',
    shortNames: ['pc'],
    namespaced: false,
    hasGeneration: true,
    columns: [
      { name: 'Value', type: 'integer', cell: (o) => pick(o, 'value') ?? 0 },
      { name: 'Global-Default', type: 'boolean', cell: (o) => pick(o, 'globalDefault') ?? false },
      AGE,
      { name: 'PreemptionPolicy', cell: (o) => text(o, 'preemptionPolicy') },
    ],
    defaults(object) {
      object['preemptionPolicy'] ??= 'PreemptLowerPriority'
    },
    validate: priorityFaults,
  }),
  defineKind({
    group: 'coordination.k8s.io',
    version: 'v1',
    plural: 'leases',
    kind: 'Lease',
    columns: [{ name: 'Holder', cell: (o) => text(o, 'spec.holderIdentity') }, AGE],
    validate: leaseFaults,
  }),
  JOB,
  defineKind({
    group: 'k8s.cni.cncf.io',
    version: 'v1',
    plural: 'network-attachment-definitions',
    kind: 'NetworkAttachmentDefinition',
    type: 'NetworkAttachmentDefinition',
    shortNames: ['net-attach-def'],
    builtIn: false,
    columns: [{ name: 'Age', type: 'date', cell: 'metadata.creationTimestamp' }],
  }),
  defineKind({
    group: 'cdi.kubevirt.io',
    version: 'v1beta1',
    plural: 'storageprofiles',
    kind: 'StorageProfile',
    type: 'StorageProfile',
    namespaced: false,
    builtIn: false,
    hasStatus: true,
    columns: [{ name: 'Age', type: 'date', cell: 'metadata.creationTimestamp' }],
  }),
]

const SHORT_MODES: Record<string, string> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

function accessModes(modes: unknown): string {
  return Array.isArray(modes) ? modes.map((mode) => SHORT_MODES[mode] ?? mode).join(',') : ''
}

/** The server itself says which is the default one. */
function className({ metadata }: ApiObject): string {
  const isDefault = metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true'
  return isDefault ? `${metadata.name} (default)` : metadata.name
}

function claim(object: ApiObject): string {
  const name = text(object, 'spec.claimRef.name')
  return name === '' ? '' : `${text(object, 'spec.claimRef.namespace')}/${name}`
}

const HIGHEST_PRIORITY = 1_000_000_000
const SYSTEM_CLASSES: Record<string, number> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
}

function priorityFaults(object: ApiObject): FieldError[] {
  const { name } = object.metadata
  const value = Number(pick(object, 'value') ?? 0)
  const faults = oneOf('preemptionPolicy', pick(object, 'preemptionPolicy'), [
    'PreemptLowerPriority',
    'Never',
  ])
  if (!name.startsWith('system-')) {
    const why = `maximum allowed value of a user defined priority is ${HIGHEST_PRIORITY}`
    return value > HIGHEST_PRIORITY ? [forbidden('value', why), ...faults] : faults
  }
  if (SYSTEM_CLASSES[name] === value) return faults
  const why = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`
  return [forbidden('metadata.name', why), ...faults]
}

function leaseFaults(object: ApiObject): FieldError[] {
  const seconds = pick(object, 'spec.leaseDurationSeconds')
  return typeof seconds === 'number' && seconds <= 0
    ? [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
    : []
}
