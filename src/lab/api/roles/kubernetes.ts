import type { PolicyRule } from '../authorization.ts'

const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update']

/**
 * Kubernetes' own role `view`, over the kinds that a lab has. The cluster that was recorded (traces/kubectl.txt) gave
 * viewers no quotas and editors no secrets; so does the lab.
 */
export const VIEW: PolicyRule[] = [
  {
    apiGroups: [''],
    resources: [
      'configmaps',
      'endpoints',
      'events',
      'limitranges',
      'namespaces',
      'namespaces/status',
      'persistentvolumeclaims',
      'persistentvolumeclaims/status',
      'pods',
      'pods/log',
      'pods/status',
      'serviceaccounts',
      'services',
      'services/status',
    ],
    verbs: READ,
  },
  {
    apiGroups: ['apps'],
    resources: [
      'controllerrevisions',
      'daemonsets',
      'daemonsets/status',
      'deployments',
      'deployments/scale',
      'deployments/status',
      'replicasets',
      'replicasets/scale',
      'replicasets/status',
    ],
    verbs: READ,
  },
  { apiGroups: ['batch'], resources: ['jobs', 'jobs/status'], verbs: READ },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: READ },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: READ },
  {
    apiGroups: ['policy'],
    resources: ['poddisruptionbudgets', 'poddisruptionbudgets/status'],
    verbs: READ,
  },
]

/** Kubernetes' own role `edit`. */
export const EDIT: PolicyRule[] = [
  ...VIEW,
  {
    apiGroups: [''],
    resources: ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy'],
    verbs: READ,
  },
  {
    apiGroups: [''],
    resources: [
      'configmaps',
      'events',
      'persistentvolumeclaims',
      'pods',
      'pods/attach',
      'pods/exec',
      'pods/portforward',
      'pods/proxy',
      'serviceaccounts',
      'services',
    ],
    verbs: WRITE,
  },
  { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  {
    apiGroups: ['apps'],
    resources: [
      'daemonsets',
      'deployments',
      'deployments/scale',
      'replicasets',
      'replicasets/scale',
    ],
    verbs: WRITE,
  },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: WRITE },
  { apiGroups: ['networking.k8s.io'], resources: ['networkpolicies'], verbs: WRITE },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: WRITE },
]

/** Kubernetes' own role `admin`: edit, and giving the same to others in the namespace. */
export const ADMIN: PolicyRule[] = [
  ...EDIT,
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['roles', 'rolebindings'],
    verbs: [...READ, ...WRITE],
  },
]

export const DISCOVERY: PolicyRule[] = [
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
]

/** What even those may read who did not say who they are. */
export const PUBLIC_INFO: PolicyRule[] = [
  { nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'], verbs: ['get'] },
]

export const BASIC_USER: PolicyRule[] = [
  {
    apiGroups: ['authorization.k8s.io'],
    resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    verbs: ['create'],
  },
  {
    apiGroups: ['authentication.k8s.io'],
    resources: ['selfsubjectreviews'],
    verbs: ['create'],
  },
]

export const CLUSTER_ADMIN: PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
]

/** What the lab's viewer and editor may read beside that: why a pod is not let in. */
export const QUOTA_VIEW: PolicyRule[] = [
  { apiGroups: [''], resources: ['resourcequotas', 'resourcequotas/status'], verbs: READ },
]
