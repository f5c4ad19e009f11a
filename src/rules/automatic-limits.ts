import type { KubeVirt, Namespace, ResourceQuota } from '../kubevirt/types.ts'
import { type LabelSelector, selects } from './label-selector.ts'

/** CPU and memory limits that a namespace obliges KubeVirt to set by itself (fact sheet control-plane.md §2.7a). */
export interface AutomaticLimits {
  /** A quota of the namespace has `limits.cpu`, or the namespace matches KubeVirt's selector. */
  cpu: boolean
  /** How many times its request: set where a quota of the namespace has `limits.memory`. */
  memoryRatio?: number
}

const RATIO_LABEL = 'alpha.kubevirt.io/auto-memory-limits-ratio'
const DEFAULT_RATIO = 2

export function automaticLimits(
  namespace: Namespace | undefined,
  quotas: readonly ResourceQuota[],
  kubevirt: KubeVirt | undefined,
): AutomaticLimits {
  const limits = (name: string) => quotas.some(({ spec }) => spec.hard?.[name] !== undefined)
  const labels = namespace?.metadata.labels ?? {}
  const selector = kubevirt?.spec.configuration?.['autoCPULimitNamespaceLabelSelector'] as
    | LabelSelector
    | undefined
  const ratio = Number(labels[RATIO_LABEL])
  return {
    cpu: limits('limits.cpu') || selects(selector, labels),
    ...(limits('limits.memory') ? { memoryRatio: ratio >= 1 ? ratio : DEFAULT_RATIO } : {}),
  }
}
