import type { PolicyRule } from './authorization.ts'

/** A role or binding as `bootstrap` creates it. */
interface RoleObject {
  kind: 'ClusterRole' | 'ClusterRoleBinding' | 'RoleBinding'
  metadata: { name: string; namespace?: string }
  [field: string]: unknown
}

const READ = ['get', 'list', 'watch']
const WRITE = [...READ, 'create', 'delete', 'deletecollection', 'patch', 'update']

const VIEWED: PolicyRule[] = [
  {
    apiGroups: [''],
    resources: [
      'configmaps',
      'events',
      'limitranges',
      'namespaces',
      'persistentvolumeclaims',
      'persistentvolumeclaims/status',
      'pods',
      'pods/log',
      'pods/status',
      'resourcequotas',
      'resourcequotas/status',
      'serviceaccounts',
      'services',
      'services/status',
    ],
    verbs: READ,
  },
  { apiGroups: ['batch'], resources: ['jobs', 'jobs/status'], verbs: READ },
  {
    apiGroups: ['policy'],
    resources: ['poddisruptionbudgets', 'poddisruptionbudgets/status'],
    verbs: READ,
  },
]

const EDITED: PolicyRule[] = [
  ...VIEWED,
  {
    apiGroups: [''],
    resources: [
      'configmaps',
      'persistentvolumeclaims',
      'pods',
      'secrets',
      'serviceaccounts',
      'services',
    ],
    verbs: WRITE,
  },
  {
    apiGroups: [''],
    resources: ['pods/eviction', 'pods/exec', 'pods/portforward'],
    verbs: ['create', 'get'],
  },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: WRITE },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: WRITE },
]

/** KubeVirt's roles, as far as they bear on a migration (fact sheet control-plane.md §6, release 1.5 and newer). */
const KUBEVIRT_VIEW: PolicyRule[] = [
  {
    apiGroups: ['kubevirt.io'],
    resources: ['virtualmachines', 'virtualmachineinstances', 'virtualmachineinstancemigrations'],
    verbs: READ,
  },
  { apiGroups: ['migrations.kubevirt.io'], resources: ['migrationpolicies'], verbs: READ },
]

const KUBEVIRT_EDIT: PolicyRule[] = [
  ...KUBEVIRT_VIEW,
  {
    apiGroups: ['kubevirt.io'],
    resources: ['virtualmachines', 'virtualmachineinstances'],
    verbs: WRITE,
  },
  {
    apiGroups: ['subresources.kubevirt.io'],
    resources: ['virtualmachines/evacuate/cancel', 'virtualmachineinstances/evacuate/cancel'],
    verbs: ['update'],
  },
  { apiGroups: ['kubevirt.io'], resources: ['kubevirts'], verbs: ['get', 'list'] },
]

const ALL: PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
]

export const ROLE_OBJECTS: RoleObject[] = [
  clusterRole('cluster-admin', ALL),
  clusterRole('admin', EDITED),
  clusterRole('edit', EDITED),
  clusterRole('view', VIEWED),
  clusterRole('system:discovery', [
    {
      nonResourceURLs: [
        '/api',
        '/api/*',
        '/apis',
        '/apis/*',
        '/healthz',
        '/livez',
        '/openapi',
        '/openapi/*',
        '/readyz',
        '/version',
        '/version/',
      ],
      verbs: ['get'],
    },
  ]),
  clusterRole('system:basic-user', [
    {
      apiGroups: ['authorization.k8s.io'],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      verbs: ['create'],
    },
  ]),
  clusterRole('kubevirt.io:admin', KUBEVIRT_EDIT),
  clusterRole('kubevirt.io:edit', KUBEVIRT_EDIT),
  clusterRole('kubevirt.io:view', KUBEVIRT_VIEW),
  clusterRole('kubevirt.io:migrate', [
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstancemigrations'], verbs: WRITE },
    {
      apiGroups: ['subresources.kubevirt.io'],
      resources: ['virtualmachines/migrate'],
      verbs: ['update'],
    },
  ]),
  clusterRole('kubevirt.io:default', [
    { apiGroups: ['kubevirt.io'], resources: ['kubevirts'], verbs: ['get', 'list'] },
    {
      apiGroups: ['subresources.kubevirt.io'],
      resources: ['version', 'guestfs'],
      verbs: ['get', 'list'],
    },
  ]),
  // The lab's own components may do all: what KubeVirt grants them is not what a lab is for.
  everywhere('system:discovery', 'system:discovery', {
    kind: 'Group',
    name: 'system:authenticated',
  }),
  everywhere('system:basic-user', 'system:basic-user', {
    kind: 'Group',
    name: 'system:authenticated',
  }),
  everywhere('kubevirt.io:default', 'kubevirt.io:default', {
    kind: 'Group',
    name: 'system:authenticated',
  }),
  everywhere('kubevirt-controller', 'cluster-admin', {
    kind: 'ServiceAccount',
    namespace: 'kubevirt',
    name: 'kubevirt-controller',
  }),
  everywhere('kubevirt-handler', 'cluster-admin', {
    kind: 'ServiceAccount',
    namespace: 'kubevirt',
    name: 'kubevirt-handler',
  }),
  everywhere('kubevirt-apiserver', 'cluster-admin', {
    kind: 'ServiceAccount',
    namespace: 'kubevirt',
    name: 'kubevirt-apiserver',
  }),
  everywhere('system:kube-scheduler', 'cluster-admin', {
    kind: 'User',
    name: 'system:kube-scheduler',
  }),
  everywhere('system:nodes', 'cluster-admin', { kind: 'Group', name: 'system:nodes' }),
  ...['view', 'kubevirt.io:view'].map((role) => within('default', role, 'viewer')),
  ...['edit', 'kubevirt.io:edit'].map((role) => within('default', role, 'editor')),
]

function clusterRole(name: string, rules: PolicyRule[]): RoleObject {
  return { kind: 'ClusterRole', metadata: { name }, rules }
}

function everywhere(
  name: string,
  role: string,
  subject: { kind: string; name: string; namespace?: string },
): RoleObject {
  return { kind: 'ClusterRoleBinding', metadata: { name }, ...bound(role, subject) }
}

/** The role in one namespace, for a user. */
function within(namespace: string, role: string, user: string): RoleObject {
  return {
    kind: 'RoleBinding',
    metadata: { namespace, name: `${user}-${role}` },
    ...bound(role, { kind: 'User', name: user }),
  }
}

function bound(role: string, subject: { kind: string; name: string; namespace?: string }) {
  return {
    subjects: [
      {
        ...subject,
        ...(subject.kind === 'ServiceAccount' ? {} : { apiGroup: 'rbac.authorization.k8s.io' }),
      },
    ],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  }
}
