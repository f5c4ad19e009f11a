import type { Api } from './api.ts'
import { create } from './create.ts'
import type { ApiObject } from './kind.ts'
import { ROLE_OBJECTS } from './roles/index.ts'

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
  const options = {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    dryRun: false,
    fieldManager: 'kube-apiserver',
    warn: () => {},
  }
  const add = (group: string, kind: string, object: object) => {
    const copy = structuredClone(object) as ApiObject
    create(api, api.kinds.byKind(group, kind)!, copy.metadata.namespace, copy, options)
  }
  for (const name of NAMESPACES) add('', 'Namespace', { metadata: { name } })
  for (const [name, value, description] of PRIORITY_CLASSES)
    add('scheduling.k8s.io', 'PriorityClass', { metadata: { name }, value, description })
  for (const role of ROLE_OBJECTS) add('rbac.authorization.k8s.io', role.kind, role)
}
