import { hash } from 'node:crypto'
import { dnsLabelFaults } from '../formats.ts'
import { ageOf } from '../human-duration.ts'
import { type ApiObject, type Column, defineKind } from '../kind.ts'
import { required } from './faults.ts'
import { pick, text } from './fields.ts'

const AGE: Column = {
  name: 'Age',
  cell: (object, now) => ageOf(object.metadata.creationTimestamp, now),
}

export const SERVICE = defineKind({
  group: '',
  version: 'v1',
  plural: 'services',
  kind: 'Service',
  nameFaults: dnsLabelFaults,
  shortNames: ['svc'],
  categories: ['all'],
  hasStatus: true,
  returnsDeleted: true,
  columns: [
    { name: 'Type', cell: 'spec.type' },
    { name: 'Cluster-IP', cell: (o) => text(o, 'spec.clusterIP') || '<none>' },
    { name: 'External-IP', cell: (o) => text(o, 'spec.externalName') || '<none>' },
    { name: 'Port(s)', cell: servicePorts },
    AGE,
    { name: 'Selector', priority: 1, cell: (o) => pairs(pick(o, 'spec.selector')) || '<none>' },
  ],
  defaults(object) {
    const spec: ServiceSpec = object['spec'] ?? {}
    object['spec'] = spec
    spec.type ??= 'ClusterIP'
    spec.sessionAffinity ??= 'None'
    if (spec.type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster'
    for (const port of spec.ports ?? []) {
      port.protocol ??= 'TCP'
      port.targetPort ??= port.port
    }
  },
  prepare(object) {
    object['status'] = { loadBalancer: {} }
    const spec = object['spec'] as ServiceSpec
    if (spec.type === 'ExternalName') return
    spec.clusterIP ||= addressOf(object)
    spec.clusterIPs ??= [spec.clusterIP]
    // Whoever fills in its endpoints may have both.
    const isOpen = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0
    spec.ipFamilies ??= isOpen ? ['IPv4', 'IPv6'] : ['IPv4']
    spec.ipFamilyPolicy ??= isOpen ? 'RequireDualStack' : 'SingleStack'
  },
  validate(object) {
    const { ports = [] } = (object['spec'] ?? {}) as ServiceSpec
    if (ports.length < 2) return []
    return ports.flatMap(({ name }, index) => (name ? [] : [required(`spec.ports[${index}].name`)]))
  },
  preserve(next, old) {
    const [spec, before] = [next, old].map((object) => object['spec'] as ServiceSpec)
    for (const field of ALLOCATED)
      if (spec && before && spec[field] === undefined && before[field] !== undefined)
        Object.assign(spec, { [field]: before[field] })
  },
})

interface ServiceSpec {
  type?: string
  clusterIP?: string
  clusterIPs?: string[]
  ipFamilies?: string[]
  ipFamilyPolicy?: string
  sessionAffinity?: string
  internalTrafficPolicy?: string
  selector?: Record<string, string>
  ports?: {
    name?: string
    port: number
    nodePort?: number
    protocol?: string
    targetPort?: number | string
  }[]
}

/** What whoever replaces a service need not say again. */
const ALLOCATED = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const

/** One of 10.96.0.0/16, as its uid is one of its own; nobody listens there. */
function addressOf({ metadata: { uid = '' } }: ApiObject): string {
  const [high = 0, low = 0] = hash('sha256', uid, 'buffer')
  return `10.96.${high}.${1 + (low % 254)}`
}

function servicePorts(object: ApiObject): string {
  const { ports = [] } = (object['spec'] ?? {}) as ServiceSpec
  if (ports.length === 0) return '<none>'
  return ports
    .map(
      ({ port, nodePort, protocol = 'TCP' }) =>
        `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`,
    )
    .join(',')
}

function pairs(map: unknown): string {
  return Object.entries((map as Record<string, string>) ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
}
