import type { PolicyRule } from '../authorization.ts'
import {
  ADMIN,
  BASIC_USER,
  CLUSTER_ADMIN,
  DISCOVERY,
  EDIT,
  PUBLIC_INFO,
  QUOTA_VIEW,
  VIEW,
} from './kubernetes.ts'
import {
  INSTANCETYPE_VIEW,
  KUBEVIRT_ADMIN,
  KUBEVIRT_DEFAULT,
  KUBEVIRT_EDIT,
  KUBEVIRT_MIGRATE,
  KUBEVIRT_VIEW,
} from './kubevirt.ts'

/** A role or binding as `bootstrap` creates it. */
interface RoleObject {
  kind: 'ClusterRole' | 'ClusterRoleBinding' | 'RoleBinding'
  metadata: { name: string; namespace?: string }
  [field: string]: unknown
}

interface Subject {
  kind: 'User' | 'Group' | 'ServiceAccount'
  name: string
  namespace?: string
}

const EVERYBODY: Subject = { kind: 'Group', name: 'system:authenticated' }
const UNKNOWN: Subject = { kind: 'Group', name: 'system:unauthenticated' }
const RBAC_GROUP = 'rbac.authorization.k8s.io'
const KUBERNETES_OWN = /^(cluster-admin|admin|edit|view|system:.*)$/
/** What Kubernetes writes on its own roles. */
const AUTOMATIC = {
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
}

export const ROLE_OBJECTS: RoleObject[] = [
  clusterRole('cluster-admin', CLUSTER_ADMIN),
  everywhere('cluster-admin', 'cluster-admin', { kind: 'Group', name: 'system:masters' }),
  clusterRole('admin', ADMIN),
  clusterRole('edit', EDIT),
  clusterRole('view', VIEW),
  clusterRole('system:discovery', DISCOVERY),
  clusterRole('system:basic-user', BASIC_USER),
  clusterRole('system:public-info-viewer', PUBLIC_INFO),
  everywhere('system:public-info-viewer', 'system:public-info-viewer', EVERYBODY, UNKNOWN),
  clusterRole('kubevirt.io:admin', KUBEVIRT_ADMIN),
  clusterRole('kubevirt.io:edit', KUBEVIRT_EDIT),
  clusterRole('kubevirt.io:view', KUBEVIRT_VIEW),
  clusterRole('kubevirt.io:migrate', KUBEVIRT_MIGRATE),
  clusterRole('kubevirt.io:default', KUBEVIRT_DEFAULT),
  clusterRole('instancetype.kubevirt.io:view', INSTANCETYPE_VIEW),
  ...['system:discovery', 'system:basic-user', 'kubevirt.io:default'].map((role) =>
    everywhere(role, role, EVERYBODY),
  ),
  everywhere('instancetype.kubevirt.io:view', 'instancetype.kubevirt.io:view', EVERYBODY),
  // The lab's own components may do all: what KubeVirt and Kubernetes grant them is not what a lab is for.
  ...['kubevirt-controller', 'kubevirt-handler', 'kubevirt-apiserver'].map((name) =>
    everywhere(name, 'cluster-admin', { kind: 'ServiceAccount', namespace: 'kubevirt', name }),
  ),
  everywhere('system:kube-scheduler', 'cluster-admin', {
    kind: 'User',
    name: 'system:kube-scheduler',
  }),
  everywhere('system:nodes', 'cluster-admin', { kind: 'Group', name: 'system:nodes' }),
  clusterRole('lab:quotas', QUOTA_VIEW),
  ...['view', 'kubevirt.io:view', 'lab:quotas'].map((role) => within('default', role, 'viewer')),
  ...['edit', 'kubevirt.io:edit', 'lab:quotas'].map((role) => within('default', role, 'editor')),
]

function clusterRole(name: string, rules: PolicyRule[]): RoleObject {
  return {
    kind: 'ClusterRole',
    metadata: { name, ...(KUBERNETES_OWN.test(name) && AUTOMATIC) },
    rules,
  }
}

function everywhere(name: string, role: string, ...subjects: Subject[]): RoleObject {
  return { kind: 'ClusterRoleBinding', metadata: { name }, ...bound(role, ...subjects) }
}

/** The role in one namespace, for a user. */
function within(namespace: string, role: string, user: string): RoleObject {
  const metadata = { namespace, name: `${user}-${role}` }
  return { kind: 'RoleBinding', metadata, ...bound(role, { kind: 'User', name: user }) }
}

function bound(role: string, ...subjects: Subject[]) {
  const group = ({ kind }: Subject) => (kind === 'ServiceAccount' ? {} : { apiGroup: RBAC_GROUP })
  return {
    subjects: subjects.map((subject) => ({ ...subject, ...group(subject) })),
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: role },
  }
}
