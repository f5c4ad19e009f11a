import type { Cluster } from '../../cluster/cluster.ts'
import type { Resource } from '../../kubevirt/resources.ts'

/** What the user may read, as far as the API server tells. */
export interface Permissions {
  /** Asks what the user may do in a namespace: once, instead of being refused kind by kind. */
  review(namespace: string): Promise<void>
  /**
   * False only when it is sure: then the request need not be made.
   * @param namespace undefined: cluster-wide, or of no namespace
   */
  mayRead(
    verb: 'get' | 'list',
    resource: Resource,
    namespace: string | undefined,
    subresource?: string,
  ): boolean
}

interface RulesReview {
  status?: {
    incomplete?: boolean
    resourceRules?: { verbs?: string[]; apiGroups?: string[]; resources?: string[] }[]
  }
}

type Allows = (verb: string, group: string, resource: string) => boolean

/**
 * What holds for the whole cluster holds in each namespace: a kind that is missing in one of them may not be read
 * cluster-wide. Where a review itself fails, or says that it is incomplete (webhook authorizers), everything is tried.
 */
export function createPermissions(cluster: Cluster, signal: AbortSignal): Permissions {
  const reviewed = new Map<string, Allows>()

  return {
    async review(namespace) {
      if (reviewed.has(namespace)) return
      const review = await cluster
        .request<RulesReview>({
          method: 'POST',
          path: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
          body: {
            apiVersion: 'authorization.k8s.io/v1',
            kind: 'SelfSubjectRulesReview',
            spec: { namespace },
          },
          signal,
        })
        .catch(() => undefined)
      signal.throwIfAborted()
      reviewed.set(namespace, allowsOf(review))
    },
    mayRead(verb, { group, plural, namespaced }, namespace, subresource) {
      const resource = subresource ? `${plural}/${subresource}` : plural
      if (namespaced && namespace !== undefined)
        return reviewed.get(namespace)?.(verb, group, resource) ?? true
      return [...reviewed.values()].every((allows) => allows(verb, group, resource))
    },
  }
}

function allowsOf(review: RulesReview | undefined): Allows {
  const { incomplete = true, resourceRules = [] } = review?.status ?? {}
  if (incomplete) return () => true
  return (verb, group, resource) =>
    resourceRules.some(
      ({ verbs, apiGroups, resources }) =>
        holds(verbs, verb) && holds(apiGroups, group) && holds(resources, resource),
    )
}

function holds(list: string[] | undefined, wanted: string): boolean {
  return list?.includes('*') === true || list?.includes(wanted) === true
}
