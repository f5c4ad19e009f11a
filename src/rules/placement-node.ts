import { ownValue } from '../kubevirt/own-value.ts'
import { type Amount, milliOf, parseQuantity, unitsOf, ZERO } from '../kubevirt/quantity.ts'
import type { Node, Pod, Taint, Toleration } from '../kubevirt/types.ts'
import { holds } from './label-selector.ts'
import type { Obstacle } from './placement-obstacle.ts'
import { podResources } from './pod-resources.ts'

/** The filters that look at the node alone, in the scheduler's order. */
export function nodeObstacle(pod: Pod, node: Node): Obstacle | undefined {
  return cordoned(pod, node) ?? otherNode(pod, node) ?? untolerated(pod, node) ?? wrong(pod, node)
}

/** Every resource of which the node has too little left beside the pods that are on it. */
export function shortages(pod: Pod, node: Node, others: readonly Pod[]): Obstacle[] {
  const allocatable = node.status?.allocatable ?? {}
  const obstacles: Obstacle[] = []
  const slots = unitsOf(parseQuantity(allocatable['pods']) ?? ZERO)
  if (others.length + 1 > slots) {
    obstacles.push({ kind: 'pods', used: others.length, allocatable: slots })
  }
  for (const [resource, requested] of Object.entries(requestsOf(pod))) {
    const room = numberOf(resource, parseQuantity(ownValue(allocatable, resource)) ?? ZERO)
    const used = others.reduce(
      (sum, other) => sum + (ownValue(requestsOf(other), resource) ?? 0),
      0,
    )
    if (requested > 0 && requested > room - used) {
      obstacles.push({ kind: 'resource', resource, requested, used, allocatable: room })
    }
  }
  return obstacles
}

const requests = new WeakMap<Pod, Record<string, number>>()

/**
 * What a pod asks for: milli-CPUs for `cpu`, bytes or pieces for all others. Worked out once for each pod object, for a
 * scheduler asks it of every pod for every pod.
 */
export function requestsOf(pod: Pod): Record<string, number> {
  let known = requests.get(pod)
  if (!known) {
    const asked = Object.entries(podResources(pod, 'requests'))
    known = Object.fromEntries(asked.map(([name, amount]) => [name, numberOf(name, amount)]))
    requests.set(pod, known)
  }
  return known
}

export function numberOf(resource: string, amount: Amount): number {
  return resource === 'cpu' ? milliOf(amount) : unitsOf(amount)
}

/** The sum of the weights of the pod's preferred node affinities that the node meets. */
export function preferenceFor(pod: Pod, node: Node): number {
  return (nodeAffinityOf(pod)?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    .filter(({ preference }) => matchesTerm(preference, node))
    .reduce((sum, { weight }) => sum + weight, 0)
}

/** An absent effect tolerates every effect, an absent key with Exists every taint. */
export function tolerates(tolerations: readonly Toleration[] = [], taint: Taint): boolean {
  return tolerations.some((toleration) => {
    if (toleration.effect && toleration.effect !== taint.effect) return false
    if (toleration.key && toleration.key !== taint.key) return false
    if (toleration.operator === 'Exists') return true
    return !!toleration.key && (toleration.value ?? '') === (taint.value ?? '')
  })
}

function cordoned(pod: Pod, node: Node): Obstacle | undefined {
  const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }
  if (!node.spec.unschedulable || tolerates(pod.spec.tolerations, taint)) return undefined
  return { kind: 'unschedulable' }
}

function otherNode(pod: Pod, node: Node): Obstacle | undefined {
  const wanted = pod.spec.nodeName
  return wanted && wanted !== node.metadata.name ? { kind: 'node-name', wanted } : undefined
}

function untolerated(pod: Pod, node: Node): Obstacle | undefined {
  const taint = (node.spec.taints ?? []).find(
    (t) => t.effect !== 'PreferNoSchedule' && !tolerates(pod.spec.tolerations, t),
  )
  return taint && { kind: 'taint', taint }
}

function wrong(pod: Pod, node: Node): Obstacle | undefined {
  const labels = node.metadata.labels ?? {}
  const lacking = Object.entries(pod.spec.nodeSelector ?? {}).filter(
    ([key, value]) => ownValue(labels, key) !== value,
  )
  const required = nodeAffinityOf(pod)?.requiredDuringSchedulingIgnoredDuringExecution
  const affine = !required || (required.nodeSelectorTerms ?? []).some((t) => matchesTerm(t, node))
  if (lacking.length === 0 && affine) return undefined
  return { kind: 'node-affinity', missing: Object.fromEntries(lacking) }
}

interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: NodeSelectorTerm[] }
  preferredDuringSchedulingIgnoredDuringExecution?: {
    weight: number
    preference: NodeSelectorTerm
  }[]
}

interface NodeSelectorTerm {
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
  matchFields?: { key: string; operator: string; values?: string[] }[]
}

function nodeAffinityOf(pod: Pod): NodeAffinity | undefined {
  return pod.spec.affinity?.['nodeAffinity'] as NodeAffinity | undefined
}

/** An empty term matches no node. */
function matchesTerm(term: NodeSelectorTerm, node: Node): boolean {
  const { matchExpressions = [], matchFields = [] } = term
  const fields = { 'metadata.name': node.metadata.name }
  return (
    matchExpressions.length + matchFields.length > 0 &&
    matchExpressions.every((r) => holds(r, node.metadata.labels ?? {})) &&
    matchFields.every((r) => holds(r, fields))
  )
}
