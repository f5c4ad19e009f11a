import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import { dnsLabelFaults } from '../formats.ts'
import { ageOf } from '../human-duration.ts'
import { type ApiObject, type Column, defineKind } from '../kind.ts'
import type { FieldError } from '../status.ts'
import { invalid, oneOf, required } from './faults.ts'
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
    if (spec.type === 'NodePort' || spec.type === 'LoadBalancer')
      spec.externalTrafficPolicy ??= 'Cluster'
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
  validate: serviceFaults,
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
  externalTrafficPolicy?: string
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

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']

function serviceFaults(object: ApiObject): FieldError[] {
  const { type, clusterIP = '', ports = [] } = (object['spec'] ?? {}) as ServiceSpec
  const needsPorts = type !== 'ExternalName' && clusterIP !== 'None' && ports.length === 0
  return [
    ...(needsPorts ? [required('spec.ports')] : []),
    ...ports.flatMap(({ name, port, protocol, targetPort }, i) => [
      ...(ports.length > 1 && !name ? [required(`spec.ports[${i}].name`)] : []),
      ...portFaults(`spec.ports[${i}].port`, port),
      ...oneOf(`spec.ports[${i}].protocol`, protocol, ['SCTP', 'TCP', 'UDP']),
      ...(typeof targetPort === 'number'
        ? portFaults(`spec.ports[${i}].targetPort`, targetPort)
        : []),
    ]),
    ...oneOf('spec.type', type, TYPES),
    ...(clusterIP === '' || clusterIP === 'None' || isIP(clusterIP)
      ? []
      : [invalid('spec.clusterIPs[0]', clusterIP, ADDRESS_FORM)]),
  ]
}

const ADDRESS_FORM = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'

function portFaults(field: string, port = 0): FieldError[] {
  return port >= 1 && port <= 65_535
    ? []
    : [invalid(field, port, 'must be between 1 and 65535, inclusive')]
}

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
