import { conditionOf } from '../kubevirt/migration.ts'
import { timestamp } from '../kubevirt/time.ts'
import type { Condition, KubeObject, Pod } from '../kubevirt/types.ts'
import { type LabelSelector, selects } from './label-selector.ts'

/** A `policy/v1` PodDisruptionBudget. */
export interface DisruptionBudget extends KubeObject {
  spec: {
    minAvailable?: number | string
    maxUnavailable?: number | string
    selector?: LabelSelector | null
    unhealthyPodEvictionPolicy?: string
  }
  status?: BudgetStatus
}

interface BudgetStatus {
  observedGeneration?: number
  disruptionsAllowed: number
  currentHealthy: number
  desiredHealthy: number
  expectedPods: number
  /** When eviction let them go, until the deletion is seen. */
  disruptedPods?: Record<string, string>
  conditions?: Condition[]
}

/** How long an eviction that was let through is waited for, ms. */
const DISRUPTION_TIMEOUT = 120_000

/** What Kubernetes' disruption controller says of a budget, given the pods of its namespace. */
export function budgetStatus(
  budget: DisruptionBudget,
  pods: readonly Pod[],
  now: number,
): BudgetStatus {
  const { metadata, spec, status } = budget
  const own = pods.filter((pod) => covers(budget, pod))
  const disrupted = Object.entries(status?.disruptedPods ?? {}).filter(
    ([name, since]) =>
      now - Date.parse(since) < DISRUPTION_TIMEOUT &&
      own.some((pod) => pod.metadata.name === name && !pod.metadata.deletionTimestamp),
  )
  const gone = new Set(disrupted.map(([name]) => name))
  const currentHealthy = own.filter(
    (pod) => isReady(pod) && !pod.metadata.deletionTimestamp && !gone.has(pod.metadata.name),
  ).length
  const observedGeneration = metadata.generation ?? 1
  const common = {
    observedGeneration,
    currentHealthy,
    expectedPods: own.length,
    ...(disrupted.length > 0 ? { disruptedPods: Object.fromEntries(disrupted) } : {}),
  }
  const told = (allowed: boolean, reason: string, message = '') =>
    withTime(
      status?.conditions,
      {
        type: 'DisruptionAllowed',
        status: allowed ? 'True' : 'False',
        reason,
        message,
        observedGeneration,
      },
      now,
    )

  const failure = uncountable(budget, own)
  if (failure !== undefined)
    return {
      ...common,
      desiredHealthy: status?.desiredHealthy ?? 0,
      disruptionsAllowed: 0,
      conditions: [told(false, 'SyncFailed', failure)],
    }
  const desiredHealthy = Number(spec.minAvailable ?? 0)
  const disruptionsAllowed = own.length > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0
  const enough = disruptionsAllowed > 0
  return {
    ...common,
    desiredHealthy,
    disruptionsAllowed,
    conditions: [told(enough, enough ? 'SufficientPods' : 'InsufficientPods')],
  }
}

/** Shares, and what may be missing, are counted of a controller's scale: a VMI has none. */
function uncountable({ spec }: DisruptionBudget, own: readonly Pod[]): string | undefined {
  if (spec.maxUnavailable === undefined && typeof spec.minAvailable !== 'string') return undefined
  const [pod] = own
  if (!pod) return undefined
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller)
  return owner?.kind === 'VirtualMachineInstance'
    ? 'virtualmachineinstances.kubevirt.io does not implement the scale subresource'
    : `found no controller ref for pod "${pod.metadata.name}"`
}

export type BudgetAnswer =
  /** The budget that has one disruption less from then on, if there is one. */
  | { admit: true; charge?: DisruptionBudget }
  | { admit: false; code: 429 | 500; message: string; cause?: string; retryAfterSeconds?: number }

const VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget."

/** Do the budgets of its namespace let a pod be evicted? Kubernetes' own rules and texts; KubeVirt's webhook has spoken. */
export function answerByBudgets(pod: Pod, budgets: readonly DisruptionBudget[]): BudgetAnswer {
  const { phase } = pod.status ?? {}
  if (phase !== 'Running' || pod.metadata.deletionTimestamp) return { admit: true }
  const [budget, ...others] = budgets.filter((one) => covers(one, pod))
  if (!budget) return { admit: true }
  if (others.length > 0) {
    const message =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    return { admit: false, code: 500, message }
  }
  const { metadata, spec, status } = budget
  const { currentHealthy = 0, desiredHealthy = 0, disruptionsAllowed = 0 } = status ?? {}
  const healthy = currentHealthy >= desiredHealthy && desiredHealthy > 0
  if (!isReady(pod) && (healthy || spec.unhealthyPodEvictionPolicy === 'AlwaysAllow'))
    return { admit: true }
  const deny = (cause: string, retryAfterSeconds?: number): BudgetAnswer => ({
    admit: false,
    code: 429,
    message: VIOLATES,
    cause: `The disruption budget ${metadata.name} ${cause}`,
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  })
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 1))
    return deny('is still being processed by the server.', 10)
  if (disruptionsAllowed > 0) return { admit: true, charge: budget }
  const condition = conditionOf(budget, 'DisruptionAllowed')
  return condition?.reason === 'SyncFailed'
    ? deny(
        `does not allow evicting pods currently because it failed sync: ${condition.message ?? ''}`,
      )
    : deny(`needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`)
}

/** The status of a budget that has let a pod go. */
export function chargedStatus(
  { status }: DisruptionBudget,
  { metadata }: Pod,
  now: number,
): BudgetStatus {
  const before = status as BudgetStatus
  return {
    ...before,
    disruptionsAllowed: before.disruptionsAllowed - 1,
    disruptedPods: { ...before.disruptedPods, [metadata.name]: timestamp(now) },
  }
}

function covers({ metadata, spec }: DisruptionBudget, pod: Pod): boolean {
  return (
    pod.metadata.namespace === metadata.namespace && selects(spec.selector, pod.metadata.labels)
  )
}

function isReady(pod: Pod): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True'
}

/** One that says the same keeps its time. */
function withTime(before: Condition[] | undefined, condition: Condition, now: number): Condition {
  const known = before?.find(({ type }) => type === condition.type)
  const lastTransitionTime =
    known?.status === condition.status ? (known.lastTransitionTime ?? null) : timestamp(now)
  return { ...condition, lastTransitionTime }
}
