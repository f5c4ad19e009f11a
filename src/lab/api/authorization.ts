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
  metadata: { namespace?: string }
  subjects?: { kind: string; name: string; namespace?: string }[]
  roleRef: { kind: string; name: string }
}

const RBAC_GROUP = 'rbac.authorization.k8s.io'

/** RBAC over the roles and bindings in the store; members of system:masters may do everything. */
export function isAllowed(read: Reader, user: UserInfo, attributes: Attributes): boolean {
  if (user.groups.includes('system:masters')) return true
  return rulesFor(read, user, attributes.namespace).some((rule) => permits(rule, attributes))
}

/** All rules that hold for the user: cluster-wide ones, and those of the namespace if one is given. */
export function rulesFor(
  read: Reader,
  user: UserInfo,
  namespace: string | undefined,
): PolicyRule[] {
  const list = (plural: string, at?: string) =>
    read.list({ group: RBAC_GROUP, plural }, at) as unknown as Binding[]
  const bindings = [
    ...list('clusterrolebindings'),
    ...(namespace === undefined ? [] : list('rolebindings', namespace)),
  ]
  return bindings
    .filter((binding) => binding.subjects?.some((subject) => isSubject(subject, user)))
    .flatMap(({ roleRef, metadata }) => {
      const role =
        roleRef.kind === 'ClusterRole'
          ? read.get({ group: RBAC_GROUP, plural: 'clusterroles' }, undefined, roleRef.name)
          : read.get({ group: RBAC_GROUP, plural: 'roles' }, metadata.namespace, roleRef.name)
      return (role?.['rules'] as PolicyRule[] | undefined) ?? []
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
