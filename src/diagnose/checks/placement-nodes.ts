import type { Pod } from '../../kubevirt/types.ts'
import { placePod } from '../../rules/placement.ts'
import type { Objection } from '../scheduler-message.ts'
import type { Subject } from '../subject.ts'
import { exactBytes, listing } from '../words.ts'
import type { Unplaced } from './unplaced.ts'

/** `node-2: Insufficient memory (asks …, free …)` for each node but the source, by the scheduler's own rules. */
export function describeNodes({ pod, world, others, subject }: Unplaced): string {
  if (others.length === 0) return ''
  const asked = pod ?? standIn(subject)
  if (!asked)
    return listing(
      others.flatMap((node) =>
        node.spec.unschedulable ? [`${node.metadata.name}: cordoned`] : [],
      ),
      6,
    ).replace(/^none$/, '')
  const { rejections } = placePod(asked, { nodes: others, pods: world.pods })
  const said = rejections.map(({ node, obstacles }) => {
    const words = obstacles.map((obstacle) => {
      switch (obstacle.kind) {
        case 'unschedulable':
          return 'cordoned'
        case 'taint':
          return `taint ${obstacle.taint.key}${obstacle.taint.value ? `=${obstacle.taint.value}` : ''}:${obstacle.taint.effect}`
        case 'node-affinity':
          return `lacks ${listing(
            Object.entries(obstacle.missing).map(([key, value]) => `${key}=${value}`),
            3,
          )}`
        case 'resource':
          return `Insufficient ${obstacle.resource} (asks ${worded(obstacle.requested, obstacle.resource)}, ${worded(Math.max(0, obstacle.allocatable - obstacle.used), obstacle.resource)} of ${worded(obstacle.allocatable, obstacle.resource)} free)`
        case 'pods':
          return `${obstacle.used} of ${obstacle.allocatable} pods`
        default:
          return obstacle.kind
      }
    })
    return { node, words: words.join(', ') }
  })
  return [...Map.groupBy(said, ({ words }) => words)]
    .slice(0, 4)
    .map(([words, nodes]) => `${listing(nodes.map(({ node }) => node))}: ${words}`)
    .join('; ')
}

function worded(amount: number, resource: string): string {
  if (/memory|storage|hugepages/.test(resource)) return exactBytes(amount)
  return resource === 'cpu' ? `${amount}m` : String(amount)
}

/** When the target pod is gone, its twin: the source pod without its place. */
function standIn({ sourcePod }: Subject): Pod | undefined {
  if (!sourcePod) return undefined
  const { nodeName: _, ...spec } = sourcePod.spec
  return {
    ...sourcePod,
    metadata: { ...sourcePod.metadata, name: `${sourcePod.metadata.name}-target` },
    spec: spec as Pod['spec'],
  }
}

export function taintsOf({ others }: Unplaced, { detail }: Objection): string {
  const keys = new Set(
    others.flatMap((node) =>
      (node.spec.taints ?? [])
        .filter(({ effect }) => effect !== 'PreferNoSchedule')
        .map(({ key, value }) => `${key}${value ? `=${value}` : ''}`),
    ),
  )
  const nodes = others
    .filter((node) => (node.spec.taints ?? []).length > 0)
    .map(({ metadata }) => metadata.name)
  const which =
    keys.size > 0
      ? `taint ${listing([...keys])} of ${listing(nodes)}`
      : detail
        ? `taint ${detail.replace(/:\s*$/, '')}`
        : 'the taints of the other nodes are'
  return `${which}${/ are$/.test(which) ? '' : ' is'}`
}

export function cordoned({ others }: Unplaced): string {
  const nodes = others
    .filter((node) => node.spec.unschedulable)
    .map(({ metadata }) => metadata.name)
  return nodes.length > 0
    ? `${listing(nodes)} ${nodes.length === 1 ? 'is' : 'are'}`
    : 'every other node is'
}
