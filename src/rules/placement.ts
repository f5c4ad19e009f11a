import type { Namespace, Node, Pod } from '../kubevirt/types.ts'
import { nodeObstacle, shortages } from './placement-node.ts'
import {
  type ClusterView,
  type Obstacle,
  outlastsPreemption,
  wording,
} from './placement-obstacle.ts'
import { podAffinityObstacle } from './placement-pods.ts'
import { claimObstacle, type StorageClass, type VolumeClaim } from './volume-binding.ts'

/** Where a pod can run, and for each other node what the scheduler objects to. */
export interface Placement {
  /** Names of the nodes that can take the pod, in the order of the nodes. */
  fits: string[]
  rejections: Rejection[]
  /** What is wrong with the pod itself, wherever it were: then no node is looked at, and `rejections` is empty. */
  unfit?: { message: string; nodes: number }
}

interface Rejection {
  node: string
  /** What the first objecting filter objects to: one thing, or several resources at once. */
  obstacles: [Obstacle, ...Obstacle[]]
}

export interface Surroundings {
  nodes: readonly Node[]
  /** All pods that are known, of any namespace and phase. */
  pods: readonly Pod[]
  /** Needed where an affinity term has a namespaceSelector. */
  namespaces?: readonly Namespace[]
  /** Needed where the pod mounts claims. */
  storage?: { claims: readonly VolumeClaim[]; classes: readonly StorageClass[] }
}

/**
 * What the Kubernetes scheduler (1.36, default profile) says to a pod: its filters in its order, each node up to the
 * first that objects. Where volumes are, host ports, spread constraints and preemption of lower priorities are left out.
 */
export function placePod(
  pod: Pod,
  { nodes, pods, namespaces = [], storage }: Surroundings,
): Placement {
  const message = storage && claimObstacle(pod, storage)
  if (message && nodes.length > 0)
    return { fits: [], rejections: [], unfit: { message, nodes: nodes.length } }
  const bound = pods.filter((other) => other.spec.nodeName && !isOver(other) && !same(other, pod))
  const cluster: ClusterView = {
    nodes: [...nodes],
    bound,
    podsOn: Map.groupBy(bound, (other) => other.spec.nodeName ?? ''),
    namespaceLabels: new Map(namespaces.map((n) => [n.metadata.name, n.metadata.labels ?? {}])),
  }
  const placement: Placement = { fits: [], rejections: [] }
  for (const node of nodes) {
    const [first, ...others] = objections(pod, node, cluster)
    if (!first) placement.fits.push(node.metadata.name)
    else placement.rejections.push({ node: node.metadata.name, obstacles: [first, ...others] })
  }
  return placement
}

/**
 * The message of the condition PodScheduled=False and of the event FailedScheduling. After what is wrong with the pod itself,
 * 1.34 to 1.36 say "not found", whatever it is: the plugin for dynamic resources, asked next, has not looked at the pod yet
 * and reports just that. No sheet has it; it is in what users of these releases quote, beside "no new claims to deallocate".
 */
export function unschedulableMessage({ fits, rejections, unfit }: Placement): string {
  if (unfit) return `0/${unfit.nodes} nodes are available: ${unfit.message}. not found`
  const total = fits.length + rejections.length
  if (total === 0) return 'no nodes available to schedule pods'
  const none = `0/${total} nodes are available: `
  const filters = histogram(rejections.flatMap(({ obstacles }) => obstacles.map(wording)))
  const preemption = histogram(
    rejections.map(({ obstacles }) =>
      obstacles.some(outlastsPreemption)
        ? 'Preemption is not helpful for scheduling'
        : 'No preemption victims found for incoming pod',
    ),
  )
  return `${none}${filters}. no new claims to deallocate, preemption: ${none}${preemption}.`
}

function objections(pod: Pod, node: Node, cluster: ClusterView): Obstacle[] {
  const unfit = nodeObstacle(pod, node)
  if (unfit) return [unfit]
  const full = shortages(pod, node, cluster.podsOn.get(node.metadata.name) ?? [])
  if (full.length > 0) return full
  const kept = podAffinityObstacle(pod, node, cluster)
  return kept ? [kept] : []
}

/** `1 reason, 2 other reason`, sorted as text with the count: the scheduler's own order. */
function histogram(reasons: string[]): string {
  return [...Map.groupBy(reasons, (reason) => reason)]
    .map(([reason, all]) => `${all.length} ${reason}`)
    .sort((a, b) => (a < b ? -1 : 1))
    .join(', ')
}

/** A pod that has ended holds no place any more, though its object remains. */
function isOver(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

function same(a: Pod, b: Pod): boolean {
  return a.metadata.namespace === b.metadata.namespace && a.metadata.name === b.metadata.name
}
