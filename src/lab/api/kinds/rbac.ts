import { pathSegmentFaults } from '../formats.ts'
import { ageOf } from '../human-duration.ts'
import { type ApiObject, type Column, defineKind, type Kind } from '../kind.ts'
import { pick } from './fields.ts'
import { bindingFaults, roleFaults } from './rbac-validation.ts'

const CREATED: Column = { name: 'Created At', cell: 'metadata.creationTimestamp' }

const BINDING_COLUMNS: Column[] = [
  { name: 'Role', cell: (o) => `${pick(o, 'roleRef.kind')}/${pick(o, 'roleRef.name')}` },
  { name: 'Age', cell: (o, now) => ageOf(o.metadata.creationTimestamp, now) },
  { name: 'Users', priority: 1, cell: (o) => subjects(o, 'User') },
  { name: 'Groups', priority: 1, cell: (o) => subjects(o, 'Group') },
  { name: 'ServiceAccounts', priority: 1, cell: (o) => subjects(o, 'ServiceAccount') },
]

function rbac(plural: string, kind: string, namespaced: boolean, columns: Column[]): Kind {
  return defineKind({
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    plural,
    kind,
    namespaced,
    nameFaults: pathSegmentFaults,
    columns,
    defaults: subjectDefaults,
    validate: kind.endsWith('Binding')
      ? (object, old) => bindingFaults(object, old, namespaced ? ROLES : ROLES.slice(1))
      : (object) => roleFaults(object, namespaced),
  })
}

const ROLES = ['Role', 'ClusterRole']

/** Users and groups are subjects of RBAC's own group. */
function subjectDefaults(object: ApiObject): void {
  for (const subject of (pick(object, 'subjects') as { kind: string; apiGroup?: string }[]) ?? [])
    if (subject.kind !== 'ServiceAccount') subject.apiGroup ||= 'rbac.authorization.k8s.io'
}

/** Roles are ordinary objects; src/lab/api/authorization.ts decides by them. */
export const RBAC_KINDS: Kind[] = [
  rbac('roles', 'Role', true, [CREATED]),
  rbac('rolebindings', 'RoleBinding', true, BINDING_COLUMNS),
  rbac('clusterroles', 'ClusterRole', false, [CREATED]),
  rbac('clusterrolebindings', 'ClusterRoleBinding', false, BINDING_COLUMNS),
]

function subjects(object: ApiObject, kind: string): string {
  const all =
    (pick(object, 'subjects') as { kind: string; name: string; namespace?: string }[]) ?? []
  return all
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name))
    .join(', ')
}
