import { phaseOf } from '../kubevirt/migration.ts'
import type { Event, Pod } from '../kubevirt/types.ts'
import type { Gap } from './gap.ts'
import { concerns, type Observed } from './observed.ts'
import type { CopyProgress } from './progress.ts'
import { failedByItself, isCancelling, type Outcome, outcomeOf } from './timeline.ts'
import { isWaiting, type Waiting } from './waiting.ts'

/** What happened, in the order in which it is told. */
export type Step =
  | { type: 'phase'; phase: string }
  /** The target pod was made, placed on a node, started, or its trouble changed. */
  | { type: 'pod'; pod: Pod }
  | { type: 'warning'; event: Event }
  | { type: 'cancelling' }
  /** It stands otherwise for a slot than before. */
  | { type: 'waiting'; waiting: Waiting }
  | { type: 'progress'; progress: CopyProgress }
  /** Cannot be seen; told once. */
  | { type: 'gap'; gap: Gap }
  /** The connection to the API server; what was missed is told after it. */
  | { type: 'lost'; message: string }
  | { type: 'regained' }
  | { type: 'end'; outcome: Outcome }

/** What is new between two moments. Pure: nothing is remembered elsewhere. */
export function stepsBetween(before: Observed, after: Observed): Step[] {
  const steps: Step[] = []
  const phase = phaseOf(after.migration)
  if (!isCancelling(before) && isCancelling(after)) steps.push({ type: 'cancelling' })
  if (podStateOf(before.targetPod) !== podStateOf(after.targetPod) && after.targetPod)
    steps.push({ type: 'pod', pod: after.targetPod })
  for (const event of newWarnings(before, after)) steps.push({ type: 'warning', event })
  const outcome = outcomeOf(after)
  const ended = outcome !== 'running'
  if (phase !== phaseOf(before.migration)) steps.push({ type: 'phase', phase })
  if (after.waiting && isWaiting(after) && standing(after) !== standing(before))
    steps.push({ type: 'waiting', waiting: after.waiting })
  if (after.progress && after.progress !== before.progress && !ended)
    steps.push({ type: 'progress', progress: after.progress })
  if (ended && outcomeOf(before) === 'running') steps.push({ type: 'end', outcome })
  return steps
}

/** Warnings that tell of this migration and say something that was not said yet; a counter that goes up says nothing new. */
function newWarnings(before: Observed, after: Observed): Event[] {
  if (before.events === after.events && before.targetPod === after.targetPod) return []
  const told = new Set(warningsOf(before).map(saying))
  return warningsOf(after).filter((event) => !told.has(saying(event)))
}

/** One of each, as KubeVirt says it. */
export function warningsOf(observed: Observed): Event[] {
  const warnings = [...observed.events.values()].filter(
    (event) =>
      event.type === 'Warning' && concerns(observed, event) && !isEchoOfCancel(observed, event),
  )
  return [...Map.groupBy(warnings, saying).values()].map((same) => ({
    ...same.at(-1)!,
    count: same.reduce((sum, { count }) => sum + (count ?? 1), 0),
  }))
}

/** A migration that was cancelled ends Failed, with events that warn of nothing but what was asked for. */
function isEchoOfCancel(observed: Observed, { message = '' }: Event): boolean {
  return isCancelling(observed) && !failedByItself(observed) && CANCELLED.test(message)
}

/** In the words of all releases (fact sheet control-plane.md §2.4, §2.10, §8). */
const CANCELLED =
  /has been aborted|abort detected|due to being canceled|^source node reported migration failed$|target pod shutdown during migration$/i

function saying({ reason, message, involvedObject }: Event): string {
  const text = (message ?? '')
    .replace(/^\(combined from similar events\): /, '')
    .replaceAll(GENERATED, '-*')
  return `${involvedObject.kind} ${reason} ${text}`
}

/** The end of a name that a server made: a quota refuses ten times in a few seconds, each time another pod's name. */
const GENERATED = /-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g

function standing({ waiting }: Observed): string {
  if (!waiting) return ''
  const { above, competing } = waiting.standing
  const held = waiting.admit ? [] : [waiting.limit, waiting.used, waiting.of]
  return JSON.stringify([waiting.admit, ...held, above.length, competing.length])
}

/** What a person would call another state of the pod. */
function podStateOf(pod: Pod | undefined): string {
  if (!pod) return ''
  const { spec, status, metadata } = pod
  return JSON.stringify([metadata.uid, spec.nodeName, status?.phase, podTrouble(pod)])
}

/** Why the pod does not start, in the words of the scheduler or the kubelet; undefined when nothing is wrong. */
export function podTrouble({ status }: Pod): string | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  if (scheduled?.status === 'False') return scheduled.message ?? scheduled.reason
  const waiting = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
    .map(({ state }) => state?.waiting)
    .find((state) => state?.reason && !ORDINARY.includes(state.reason))
  if (waiting) return [waiting.reason, waiting.message].filter(Boolean).join(': ')
  return status?.phase === 'Failed' ? (status.message ?? status.reason) : undefined
}

const ORDINARY = ['ContainerCreating', 'PodInitializing']
