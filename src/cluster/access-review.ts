import type { Resource } from '../kubevirt/resources.ts'
import type { Cluster } from './cluster.ts'

/** One thing that the user wants to do. */
export interface Access {
  verb: string
  resource: Pick<Resource, 'group' | 'plural'>
  subresource?: string
  /** Undefined: cluster-wide. */
  namespace?: string | undefined
}

interface Review {
  status?: { allowed?: boolean; reason?: string }
}

/**
 * Whether the user may do it, as the API server says (SelfSubjectAccessReview); undefined when it does not say.
 * Only an interruption is thrown.
 */
export async function mayI(
  cluster: Cluster,
  { verb, resource, subresource, namespace }: Access,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const review = await cluster
    .request<Review>({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {
          resourceAttributes: {
            verb,
            group: resource.group,
            resource: resource.plural,
            subresource,
            namespace,
          },
        },
      },
      signal,
    })
    .catch(() => undefined)
  signal.throwIfAborted()
  return review?.status?.allowed
}
