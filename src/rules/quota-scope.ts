import type { Pod, ResourceQuota } from '../kubevirt/types.ts'

/** Is this pod one that the quota counts? Kubernetes' scopes; one without any counts all. */
export function inScope(quota: ResourceQuota, pod: Pod): boolean {
  const { scopes = [], scopeSelector } = quota.spec
  const expressions = scopeSelector?.matchExpressions ?? []
  return (
    scopes.every((scope) => hasScope(scope, pod)) &&
    expressions.every(({ scopeName, operator, values = [] }) => {
      if (scopeName !== 'PriorityClass')
        return hasScope(scopeName, pod) === (operator !== 'DoesNotExist')
      const priority = pod.spec['priorityClassName'] as string | undefined
      if (operator === 'Exists') return Boolean(priority)
      if (operator === 'DoesNotExist') return !priority
      return values.includes(priority ?? '') === (operator === 'In')
    })
  )
}

function hasScope(scope: string, pod: Pod): boolean {
  const terminating = pod.spec['activeDeadlineSeconds'] !== undefined
  switch (scope) {
    case 'Terminating':
      return terminating
    case 'NotTerminating':
      return !terminating
    case 'BestEffort':
      return isBestEffort(pod)
    case 'NotBestEffort':
      return !isBestEffort(pod)
    default:
      return false
  }
}

function isBestEffort(pod: Pod): boolean {
  const named = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].flatMap(
    ({ resources }) => [
      ...Object.keys(resources?.requests ?? {}),
      ...Object.keys(resources?.limits ?? {}),
    ],
  )
  return !named.some((resource) => resource === 'cpu' || resource === 'memory')
}
