import type { Taint } from '../../../kubevirt/types.ts'
import { ageOf } from '../human-duration.ts'
import { type ApiObject, defineKind } from '../kind.ts'
import { pick, text } from './fields.ts'
import { taintFaults } from './toleration-validation.ts'

const ROLE_PREFIX = 'node-role.kubernetes.io/'

export const NODE = defineKind({
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  shortNames: ['no'],
  namespaced: false,
  hasStatus: true,
  keepsStatusOnCreate: true,
  subresources: [
    {
      name: 'proxy',
      kind: 'NodeProxyOptions',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
    },
  ],
  fields: { 'spec.unschedulable': (o) => String(pick(o, 'spec.unschedulable') ?? false) },
  columns: [
    { name: 'Status', cell: status },
    { name: 'Roles', cell: roles },
    { name: 'Age', cell: (o, now) => ageOf(o.metadata.creationTimestamp, now) },
    { name: 'Version', cell: (o) => text(o, 'status.nodeInfo.kubeletVersion') },
    { name: 'Internal-IP', priority: 1, cell: (o) => address(o, 'InternalIP') },
    { name: 'External-IP', priority: 1, cell: (o) => address(o, 'ExternalIP') },
    { name: 'OS-Image', priority: 1, cell: (o) => info(o, 'osImage') },
    { name: 'Kernel-Version', priority: 1, cell: kernel },
    { name: 'Container-Runtime', priority: 1, cell: (o) => info(o, 'containerRuntimeVersion') },
  ],
  defaults(object) {
    object['spec'] ??= {}
    object['status'] ??= {}
  },
  validate: (object) => taintFaults((pick(object, 'spec.taints') as Taint[] | undefined) ?? []),
})

function status(object: ApiObject): string {
  const conditions = (pick(object, 'status.conditions') as { type: string; status: string }[]) ?? []
  const ready = conditions.find((condition) => condition.type === 'Ready')
  const words = [ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown']
  if (pick(object, 'spec.unschedulable')) words.push('SchedulingDisabled')
  return words.join(',')
}

function roles({ metadata }: ApiObject): string {
  const found = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)].filter(Boolean)
    return key === 'kubernetes.io/role' && value ? [value] : []
  })
  return found.length > 0 ? [...new Set(found)].sort().join(',') : '<none>'
}

function address(object: ApiObject, type: string): string {
  const addresses = (pick(object, 'status.addresses') as { type: string; address: string }[]) ?? []
  return addresses.find((a) => a.type === type)?.address ?? '<none>'
}

function kernel(object: ApiObject): string {
  const architecture = text(object, 'status.nodeInfo.architecture')
  return `${info(object, 'kernelVersion')}${architecture && ` (${architecture})`}`
}

function info(object: ApiObject, field: string): string {
  return text(object, `status.nodeInfo.${field}`) || '<unknown>'
}
