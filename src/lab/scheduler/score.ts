import { parseQuantity, ZERO } from '../../kubevirt/quantity.ts'
import type { Node, Pod } from '../../kubevirt/types.ts'
import { numberOf, preferenceFor, requestsOf } from '../../rules/placement-node.ts'

/**
 * Which of the nodes that fit is taken: the pod's own preference first, then the node with the most of its memory and
 * CPU left, then the one with the fewest pods, then by name. The real scheduler draws lots where this decides by name.
 */
export function bestNode(
  pod: Pod,
  nodes: readonly Node[],
  bound: readonly Pod[],
): Node | undefined {
  const ranked = nodes.map((node) => {
    const here = bound.filter((other) => other.spec.nodeName === node.metadata.name)
    return {
      node,
      preference: preferenceFor(pod, node),
      free: freeShare(node, [...here, pod]),
      pods: here.length,
    }
  })
  ranked.sort(
    (a, b) =>
      b.preference - a.preference ||
      b.free - a.free ||
      a.pods - b.pods ||
      a.node.metadata.name.localeCompare(b.node.metadata.name),
  )
  return ranked[0]?.node
}

/** 0 to 1, the mean of memory and CPU. */
function freeShare(node: Node, pods: readonly Pod[]): number {
  const share = (resource: 'cpu' | 'memory') => {
    const room = numberOf(resource, parseQuantity(node.status?.allocatable?.[resource]) ?? ZERO)
    const used = pods.reduce((sum, pod) => sum + (requestsOf(pod)[resource] ?? 0), 0)
    return room > 0 ? 1 - used / room : 0
  }
  return (share('cpu') + share('memory')) / 2
}
