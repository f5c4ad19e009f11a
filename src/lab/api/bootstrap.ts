import { type Api, timestamp } from './api.ts'
import { create } from './create.ts'
import type { ApiObject } from './kind.ts'
import { ownObjects } from './own-objects.ts'
import { ROLE_OBJECTS } from './roles/index.ts'
import { VIRTUAL_RESOURCES } from './special-routes.ts'

const NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system', 'kubevirt']

const PRIORITY_CLASSES = [
  [
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
  [
    'system-node-critical',
    2_000_001_000,
    'Used for system critical pods that must not be moved from their current node.',
  ],
] as const

/** What every cluster with KubeVirt has before anyone uses it: namespaces, roles and who holds them. */
export function bootstrap(api: Api): void {
  const add = adder(api)
  for (const name of NAMESPACES) add('', 'Namespace', { metadata: { name } })
  for (const [name, value, description] of PRIORITY_CLASSES)
    add('scheduling.k8s.io', 'PriorityClass', { metadata: { name }, value, description })
  for (const role of ROLE_OBJECTS) add('rbac.authorization.k8s.io', role.kind, role)
  // Webhooks and subresources are asked by it.
  add('', 'Service', {
    metadata: {
      name: 'virt-api',
      namespace: 'kubevirt',
      labels: { 'kubevirt.io': 'virt-api', 'app.kubernetes.io/managed-by': 'virt-operator' },
    },
    spec: {
      ports: [{ port: 443, protocol: 'TCP', targetPort: 8443 }],
      selector: { 'kubevirt.io': 'virt-api' },
    },
  })
  for (const object of ownObjects(api.kinds.all, VIRTUAL_RESOURCES, timestamp(api.now())))
    add(object.apiVersion?.split('/')[0] ?? '', object.kind ?? '', object)
}

/** The service `kubernetes`, which every cluster has, and who is behind it: this server. */
export function announce(api: Api, address: string, port: number): void {
  const add = adder(api)
  const labels = { component: 'apiserver', provider: 'kubernetes' }
  const named = { name: 'kubernetes', namespace: 'default' }
  const behind = { name: 'https', port, protocol: 'TCP' }
  add('', 'Service', {
    metadata: { ...named, labels },
    spec: {
      clusterIP: '10.96.0.1',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
    },
  })
  add('', 'Endpoints', {
    metadata: { ...named, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: address }], ports: [behind] }],
  })
  add('discovery.k8s.io', 'EndpointSlice', {
    metadata: { ...named, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [behind],
  })
}

function adder(api: Api) {
  const options = {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    dryRun: false,
    fieldManager: 'kube-apiserver',
    warn: () => {},
  }
  return (group: string, kind: string, object: object) => {
    const copy = structuredClone(object) as ApiObject
    create(api, api.kinds.byKind(group, kind)!, copy.metadata.namespace, copy, options)
  }
}
