import { ageOf } from '../human-duration.ts'
import { type ApiObject, type Column, defineKind, type Kind } from '../kind.ts'
import type { FieldError } from '../status.ts'
import { invalid, oneOf, required } from './faults.ts'
import { pick, selectorText } from './fields.ts'
import { selectorFaults } from './selector-validation.ts'

const AGE: Column = {
  name: 'Age',
  cell: (object, now) => ageOf(object.metadata.creationTimestamp, now),
}

/** Who is behind a service, and who may talk to whom. */
export const NETWORKING_KINDS: Kind[] = [
  defineKind({
    group: '',
    version: 'v1',
    plural: 'endpoints',
    singular: 'endpoints',
    kind: 'Endpoints',
    shortNames: ['ep'],
    deprecation: () =>
      'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    columns: [{ name: 'Endpoints', cell: (o) => listed(subsetEndpoints(o), '<none>') }, AGE],
    defaults(object) {
      for (const { ports = [] } of (pick(object, 'subsets') as Subset[] | undefined) ?? [])
        for (const port of ports) port.protocol ??= 'TCP'
    },
  }),
  defineKind({
    group: 'discovery.k8s.io',
    version: 'v1',
    plural: 'endpointslices',
    kind: 'EndpointSlice',
    hasGeneration: true,
    columns: [
      { name: 'AddressType', cell: 'addressType' },
      { name: 'Ports', cell: (o) => listed(slicePorts(o), '<unset>') },
      { name: 'Endpoints', cell: (o) => listed(sliceAddresses(o), '<unset>') },
      AGE,
    ],
    defaults(object) {
      for (const port of (pick(object, 'ports') as Port[] | undefined) ?? []) {
        port.name ??= ''
        port.protocol ??= 'TCP'
      }
    },
  }),
  defineKind({
    group: 'networking.k8s.io',
    version: 'v1',
    plural: 'networkpolicies',
    kind: 'NetworkPolicy',
    listKind: 'NetworkPolicyList',
    shortNames: ['netpol'],
    hasGeneration: true,
    columns: [
      { name: 'Pod-Selector', cell: (o) => selectorText(pick(o, 'spec.podSelector') as object) },
      AGE,
    ],
    defaults(object) {
      const spec = pick(object, 'spec') as
        | { policyTypes?: string[]; egress?: unknown[] }
        | undefined
      if (spec) spec.policyTypes ??= ['Ingress', ...(spec.egress?.length ? ['Egress'] : [])]
      for (const port of portsOf(object)) port.protocol ??= 'TCP'
    },
    validate: policyFaults,
  }),
]

interface Port {
  name?: string
  port?: number
  protocol?: string
}

function portsOf(policy: ApiObject): Port[] {
  return ['spec.ingress', 'spec.egress']
    .flatMap((path) => (pick(policy, path) as { ports?: Port[] }[] | undefined) ?? [])
    .flatMap(({ ports = [] }) => ports)
}

interface Rule {
  ports?: Port[]
  from?: object[]
  to?: object[]
}

function policyFaults(policy: ApiObject): FieldError[] {
  const rules = (path: string, peers: 'from' | 'to') =>
    ((pick(policy, path) as Rule[] | undefined) ?? []).flatMap((rule, i) => [
      ...(rule.ports ?? []).flatMap(({ port }, k) =>
        typeof port === 'number' && (port < 1 || port > 65_535)
          ? [
              invalid(
                `${path}[${i}].ports[${k}].port`,
                port,
                'must be between 1 and 65535, inclusive',
              ),
            ]
          : [],
      ),
      ...(rule[peers] ?? []).flatMap((peer, k) =>
        Object.keys(peer).length > 0
          ? []
          : [
              {
                ...required(`${path}[${i}].${peers}[${k}]`),
                message: 'Required value: must specify a peer',
              },
            ],
      ),
    ])
  const types = (pick(policy, 'spec.policyTypes') as string[] | undefined) ?? []
  return [
    ...selectorFaults('spec.podSelector', pick(policy, 'spec.podSelector')),
    ...rules('spec.ingress', 'from'),
    ...rules('spec.egress', 'to'),
    ...types.flatMap((type, i) => oneOf(`spec.policyTypes[${i}]`, type, ['Ingress', 'Egress'])),
  ]
}

/** How many are shown before "more". */
const SHOWN = 3

function listed(all: string[], none: string): string {
  if (all.length === 0) return none
  const more = all.length > SHOWN ? ` + ${all.length - SHOWN} more...` : ''
  return `${all.slice(0, SHOWN).join(',')}${more}`
}

interface Subset {
  addresses?: { ip: string }[]
  ports?: Port[]
}

function subsetEndpoints(object: ApiObject): string[] {
  const subsets = (pick(object, 'subsets') as Subset[] | undefined) ?? []
  return subsets.flatMap(({ addresses = [], ports }) =>
    (ports ?? [undefined]).flatMap((port) =>
      addresses.map(({ ip }) => (port ? `${ip}:${port.port}` : ip)),
    ),
  )
}

function slicePorts(object: ApiObject): string[] {
  const ports = (pick(object, 'ports') as Port[] | undefined) ?? []
  return ports.map(({ port, name }) => String(port ?? name ?? '*'))
}

function sliceAddresses(object: ApiObject): string[] {
  const endpoints = (pick(object, 'endpoints') as { addresses?: string[] }[] | undefined) ?? []
  return endpoints.flatMap(({ addresses = [] }) => addresses)
}
