import type { Reader } from './admission/hook.ts'
import type { RequestInfo } from './request-info.ts'
import type { UserInfo } from './users.ts'

export interface PolicyRule {
  apiGroups?: string[]
  resources?: string[]
  resourceNames?: string[]
  nonResourceURLs?: string[]
  verbs: string[]
}

/** What someone wants to do, as RBAC sees it: a resource (with subresource) or a path. */
export type Attributes = Pick<
  RequestInfo,
  'verb' | 'group' | 'resource' | 'subresource' | 'name' | 'namespace' | 'path' | 'isResource'
>

interface Binding {
  metadata: { name: string; namespace?: string }
  subjects?: { kind: string; name: string; namespace?: string }[]
  roleRef: { kind: string; name: string }
}

const RBAC_GROUP = 'rbac.authorization.k8s.io'

/** RBAC over the roles and bindings in the store; members of system:masters may do everything. */
export function isAllowed(read: Reader, user: UserInfo, attributes: Attributes): boolean {
  return permission(read, user, attributes) !== undefined
}

/** What allows it, in Kubernetes' words; empty for the masters, who need nothing, undefined when nothing does. */
export function permission(
  read: Reader,
  user: UserInfo,
  attributes: Attributes,
): string | undefined {
  if (user.groups.includes('system:masters')) return ''
  const grant = grantsFor(read, user, attributes.namespace).find(({ rules }) =>
    rules.some((rule) => permits(rule, attributes)),
  )
  return grant && `RBAC: allowed by ${describe(grant.binding, user)}`
}

/** `RoleBinding "a/default" of ClusterRole "view" to User "viewer"` */
function describe({ metadata, roleRef, subjects }: Binding, user: UserInfo): string {
  const { name, namespace } = metadata
  const binding = namespace ? `RoleBinding "${name}/${namespace}"` : `ClusterRoleBinding "${name}"`
  const subject = subjects?.find((one) => isSubject(one, user))
  const of =
    subject?.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace}` : subject?.name
  return `${binding} of ${roleRef.kind} "${roleRef.name}" to ${subject?.kind} "${of}"`
}

/** All rules that hold for the user: cluster-wide ones, and those of the namespace if one is given. */
export function rulesFor(
  read: Reader,
  user: UserInfo,
  namespace: string | undefined,
): PolicyRule[] {
  return grantsFor(read, user, namespace).flatMap(({ rules }) => rules)
}

function grantsFor(
  read: Reader,
  user: UserInfo,
  namespace: string | undefined,
): { binding: Binding; rules: PolicyRule[] }[] {
  const list = (plural: string, at?: string) =>
    read.list({ group: RBAC_GROUP, plural }, at) as unknown as Binding[]
  const bindings = [
    ...list('clusterrolebindings'),
    ...(namespace === undefined ? [] : list('rolebindings', namespace)),
  ]
  return bindings
    .filter((binding) => binding.subjects?.some((subject) => isSubject(subject, user)))
    .map((binding) => {
      const { roleRef, metadata } = binding
      const role =
        roleRef.kind === 'ClusterRole'
          ? read.get({ group: RBAC_GROUP, plural: 'clusterroles' }, undefined, roleRef.name)
          : read.get({ group: RBAC_GROUP, plural: 'roles' }, metadata.namespace, roleRef.name)
      return { binding, rules: (role?.['rules'] as PolicyRule[] | undefined) ?? [] }
    })
}

function isSubject(
  { kind, name, namespace }: { kind: string; name: string; namespace?: string },
  user: UserInfo,
): boolean {
  if (kind === 'User') return user.name === name
  if (kind === 'Group') return user.groups.includes(name)
  return user.name === `system:serviceaccount:${namespace}:${name}`
}

function permits(rule: PolicyRule, asked: Attributes): boolean {
  if (!rule.verbs.some((verb) => verb === '*' || verb === asked.verb)) return false
  if (!asked.isResource)
    return (rule.nonResourceURLs ?? []).some(
      (url) => url === asked.path || (url.endsWith('*') && asked.path.startsWith(url.slice(0, -1))),
    )
  const { resourceNames = [] } = rule
  return (
    (rule.apiGroups ?? []).some((group) => group === '*' || group === asked.group) &&
    (rule.resources ?? []).some((pattern) => covers(pattern, asked)) &&
    (resourceNames.length === 0 || resourceNames.includes(asked.name ?? ''))
  )
}

/** `pods`, `pods/log`, any subresource of a name, or all. */
function covers(pattern: string, { resource, subresource }: Attributes): boolean {
  if (pattern === '*') return true
  if (subresource === '') return pattern === resource
  return pattern === `${resource}/${subresource}` || pattern === `*/${subresource}`
}

/** `User "viewer" cannot list resource "nodes" in API group "" at the cluster scope` */
export function refusalText(user: UserInfo, asked: Attributes): string {
  const resource = asked.subresource ? `${asked.resource}/${asked.subresource}` : asked.resource
  const where =
    asked.namespace === undefined ? 'at the cluster scope' : `in the namespace "${asked.namespace}"`
  return `User "${user.name}" cannot ${asked.verb} resource "${resource}" in API group "${asked.group}" ${where}`
}
