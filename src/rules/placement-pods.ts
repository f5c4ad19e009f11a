import { ownValue } from '../kubevirt/own-value.ts'
import type { Node, Pod } from '../kubevirt/types.ts'
import { type LabelSelector, selects } from './label-selector.ts'
import type { ClusterView, Obstacle } from './placement-obstacle.ts'

interface Term {
  labelSelector?: LabelSelector | null
  namespaceSelector?: LabelSelector | null
  namespaces?: string[]
  topologyKey: string
}

/** What required affinities between pods object to, in the scheduler's order: the pod's own, then those of others. */
export function podAffinityObstacle(
  pod: Pod,
  node: Node,
  cluster: ClusterView,
): Obstacle | undefined {
  if (!affinityMet(pod, node, cluster)) return { kind: 'pod-affinity' }

  for (const term of terms(pod, 'podAntiAffinity')) {
    const near = neighbours(term.topologyKey, node, cluster)
    const other = near.find((candidate) => matches(term, pod, candidate, cluster))
    if (other) return { kind: 'pod-anti-affinity', with: nameOf(other) }
  }
  for (const other of cluster.bound) {
    const keepsAway = terms(other, 'podAntiAffinity').some(
      (term) =>
        matches(term, other, pod, cluster) &&
        neighbours(term.topologyKey, node, cluster).includes(other),
    )
    if (keepsAway) return { kind: 'existing-anti-affinity', of: nameOf(other) }
  }
  return undefined
}

/** The first of a group, which only its own kind would have to be near to, may go anywhere. */
function affinityMet(pod: Pod, node: Node, cluster: ClusterView): boolean {
  const own = terms(pod, 'podAffinity')
  if (own.length === 0) return true
  const met = own.every((term) =>
    neighbours(term.topologyKey, node, cluster).some((other) => matches(term, pod, other, cluster)),
  )
  if (met) return true
  const alone = !cluster.bound.some((other) => own.some((t) => matches(t, pod, other, cluster)))
  return (
    alone &&
    own.every((term) => matches(term, pod, pod, cluster)) &&
    own.every((term) => ownValue(node.metadata.labels, term.topologyKey) !== undefined)
  )
}

function terms(pod: Pod, kind: 'podAffinity' | 'podAntiAffinity'): Term[] {
  const affinity = pod.spec.affinity?.[kind] as
    | { requiredDuringSchedulingIgnoredDuringExecution?: Term[] }
    | undefined
  return affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
}

/** Pods on all nodes that share the node's value of the topology key; none when the node has no such label. */
function neighbours(topologyKey: string, node: Node, cluster: ClusterView): Pod[] {
  const value = ownValue(node.metadata.labels, topologyKey)
  if (value === undefined) return []
  return cluster.nodes
    .filter((other) => ownValue(other.metadata.labels, topologyKey) === value)
    .flatMap((other) => cluster.podsOn.get(other.metadata.name) ?? [])
}

/** Namespaces of a term: the listed ones and the selected ones; the owner's own when it names neither. */
function matches(term: Term, owner: Pod, candidate: Pod, { namespaceLabels }: ClusterView) {
  const namespace = candidate.metadata.namespace ?? ''
  const { namespaces = [], namespaceSelector } = term
  const inNamespace =
    namespaces.includes(namespace) ||
    (!!namespaceSelector && selects(namespaceSelector, namespaceLabels.get(namespace))) ||
    (namespaces.length === 0 && !namespaceSelector && namespace === owner.metadata.namespace)
  return inNamespace && selects(term.labelSelector, candidate.metadata.labels)
}

function nameOf(pod: Pod): string {
  return `${pod.metadata.namespace}/${pod.metadata.name}`
}
