import type { Pod, Taint, Toleration } from '../kubevirt/types.ts'
import { tolerates } from './placement-node.ts'

/** Seconds that every pod is given, unless it says otherwise, when its node is not heard of (DefaultTolerationSeconds). */
const DEFAULT_SECONDS = 300
const GIVEN_TIME = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

/**
 * When Kubernetes' taint-eviction controller deletes a pod because of its node's NoExecute taints: ms since the epoch, at
 * once where one of them is not tolerated at all; undefined where it may stay.
 */
export function taintEviction(
  { spec }: Pick<Pod, 'spec'>,
  taints: readonly Taint[],
  now: number,
): number | undefined {
  const times = taints
    .filter(({ effect }) => effect === 'NoExecute')
    .map((taint) => endOf(spec.tolerations ?? [], taint, now))
  const ends = times.filter((time) => time !== Number.POSITIVE_INFINITY)
  return ends.length > 0 ? Math.min(...ends) : undefined
}

function endOf(own: readonly Toleration[], taint: Taint, now: number): number {
  const fitting = own.filter((toleration) => tolerates([toleration], taint))
  const seconds = fitting.map(
    ({ tolerationSeconds = Number.POSITIVE_INFINITY }) => tolerationSeconds,
  )
  const since = taint.timeAdded ? Date.parse(taint.timeAdded) : now
  if (seconds.length > 0) return since + 1000 * Math.min(...seconds)
  return GIVEN_TIME.includes(taint.key) ? since + 1000 * DEFAULT_SECONDS : now
}
