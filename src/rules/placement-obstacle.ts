import type { Node, Pod, Taint } from '../kubevirt/types.ts'

/** One thing that keeps a pod off a node, with the values that say why. */
export type Obstacle =
  | { kind: 'unschedulable' }
  | { kind: 'node-name'; wanted: string }
  | { kind: 'taint'; taint: Taint }
  /** `missing`: what the nodeSelector wants and the node has not; empty when the node affinity objects. */
  | { kind: 'node-affinity'; missing: Record<string, string> }
  /** `used` is without the pod; milli-CPUs for `cpu`, bytes or pieces for all others. */
  | { kind: 'resource'; resource: string; requested: number; used: number; allocatable: number }
  | { kind: 'pods'; used: number; allocatable: number }
  | { kind: 'pod-affinity' }
  /** `with`: the pod (NAMESPACE/NAME) from which the pod's own term keeps it away. */
  | { kind: 'pod-anti-affinity'; with: string }
  /** `of`: the pod (NAMESPACE/NAME) whose term keeps this one away. */
  | { kind: 'existing-anti-affinity'; of: string }

/** What the filters look at beside the pod and the node: the pods that hold a place, and the namespaces' labels. */
export interface ClusterView {
  nodes: Node[]
  bound: Pod[]
  podsOn: Map<string, Pod[]>
  namespaceLabels: Map<string, Record<string, string>>
}

/** Kubernetes' own words (1.36, where a taint is no longer named). */
export function wording(obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case 'unschedulable':
      return 'node(s) were unschedulable'
    case 'node-name':
      return "node(s) didn't match the requested node name"
    case 'taint':
      return 'node(s) had untolerated taint(s)'
    case 'node-affinity':
      return "node(s) didn't match Pod's node affinity/selector"
    case 'resource':
      return `Insufficient ${obstacle.resource}`
    case 'pods':
      return 'Too many pods'
    case 'pod-affinity':
      return "node(s) didn't match pod affinity rules"
    case 'pod-anti-affinity':
      return "node(s) didn't match pod anti-affinity rules"
    case 'existing-anti-affinity':
      return "node(s) didn't satisfy existing pods anti-affinity rules"
  }
}

/** Whether it would stand even if other pods were taken away. */
export function outlastsPreemption(obstacle: Obstacle): boolean {
  switch (obstacle.kind) {
    case 'resource':
      return obstacle.requested > obstacle.allocatable
    case 'pods':
    case 'pod-anti-affinity':
    case 'existing-anti-affinity':
      return false
    default:
      return true
  }
}
