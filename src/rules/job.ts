import { sameValue } from '../kubevirt/equality.ts'
import { conditionOf, timeOf } from '../kubevirt/migration.ts'
import { isPodFinal } from '../kubevirt/pods.ts'
import { timestamp } from '../kubevirt/time.ts'
import type { Condition, KubeObject, Pod } from '../kubevirt/types.ts'

/** A Job of the group batch with one pod at a time, as far as anything here makes, runs or reads one. */
export interface Job extends KubeObject {
  spec: {
    activeDeadlineSeconds?: number
    backoffLimit?: number
    ttlSecondsAfterFinished?: number
    podFailurePolicy?: { rules: PodFailureRule[] }
    template: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }
      spec: Pod['spec']
    }
  }
  status?: {
    startTime?: string
    completionTime?: string
    active?: number
    ready?: number
    succeeded?: number
    failed?: number
    conditions?: Condition[]
  }
}

interface PodFailureRule {
  action: string
  onExitCodes?: { containerName?: string | null; operator: string; values: number[] }
}

/** What Kubernetes' Job controller does next. */
export interface JobStep {
  /** Undefined when it stays as it is. */
  status: Job['status'] | undefined
  /** The Job needs a pod. */
  create: boolean
  /** Pods that run on though the Job is over. */
  remove: Pod[]
  /** The event that tells how it ended. */
  told: { type: 'Normal' | 'Warning'; reason: string; message: string } | undefined
  /** It has been over for as long as it was to stay. */
  expired: boolean
  /** When to look again, in ms from now. */
  again: number | undefined
}

const BACKOFF_LIMIT = 6
/** After the first failure, ms; twice as long after each further one. */
const BACKOFF_MS = 10_000

/** @param pods of the Job */
export function jobStep(job: Job, pods: readonly Pod[], now: number): JobStep {
  const still: JobStep = {
    status: undefined,
    create: false,
    remove: [],
    told: undefined,
    expired: false,
    again: undefined,
  }
  const over = endOf(job)
  if (over !== undefined) return { ...still, ...expiry(job, over, now) }
  const startedAt = timeOf(job.status?.startTime) ?? now
  const failed = pods.filter(({ status }) => status?.phase === 'Failed')
  const active = pods.filter((pod) => !isPodFinal(pod))
  const succeeded = pods.some(({ status }) => status?.phase === 'Succeeded')
  const counted = {
    ...job.status,
    startTime: timestamp(startedAt),
    active: active.length,
    ready: active.filter((pod) => conditionOf(pod, 'Ready')?.status === 'True').length,
    succeeded: succeeded ? 1 : 0,
    failed: failed.length,
  }
  const end = succeeded ? COMPLETE : failure(job, failed, startedAt, now)
  if (end) {
    const { told, ...conditions } = ending(end, now)
    const status = {
      ...counted,
      active: 0,
      ready: 0,
      ...(succeeded ? { completionTime: timestamp(now) } : {}),
      ...conditions,
    }
    return { ...still, status, remove: active, told }
  }
  const deadline = deadlineOf(job, startedAt)
  const retry = active.length > 0 ? undefined : retryAt(failed)
  const times = [deadline, retry].filter((time) => time !== undefined && time > now) as number[]
  return {
    ...still,
    status: sameValue(job.status, counted) ? undefined : counted,
    create: active.length === 0 && (retry ?? now) <= now,
    again: times.length > 0 ? Math.min(...times) - now : undefined,
  }
}

interface End {
  /** The condition that says it will end so, and the one that says it has. */
  types: [string, string]
  reason: string
  message: string
}

const COMPLETE: End = {
  types: ['SuccessCriteriaMet', 'Complete'],
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
}

function failure(
  job: Job,
  failed: readonly Pod[],
  startedAt: number,
  now: number,
): End | undefined {
  const end = (reason: string, message: string): End => {
    return { types: ['FailureTarget', 'Failed'], reason, message }
  }
  const { backoffLimit = BACKOFF_LIMIT } = job.spec
  const fatal = failed.map((pod) => fatalExit(job, pod)).find((text) => text !== undefined)
  if (fatal !== undefined) return end('PodFailurePolicy', fatal)
  if (failed.length > backoffLimit)
    return end('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  if ((deadlineOf(job, startedAt) ?? Number.POSITIVE_INFINITY) <= now)
    return end('DeadlineExceeded', 'Job was active longer than specified deadline')
  return undefined
}

/** An exit after which the Job's own policy lets nothing be tried again, in Kubernetes' words. */
function fatalExit({ spec }: Job, { metadata, status }: Pod): string | undefined {
  for (const [index, { action, onExitCodes }] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    if (action !== 'FailJob' || !onExitCodes) continue
    const { containerName, operator, values } = onExitCodes
    const hit = (status?.containerStatuses ?? []).find(({ name, state }) => {
      const code = state?.terminated?.exitCode
      if (!code || (containerName && containerName !== name)) return false
      return values.includes(code) === (operator === 'In')
    })
    if (hit)
      return `Container ${hit.name} for pod ${metadata.namespace}/${metadata.name} failed with exit code ${hit.state?.terminated?.exitCode} matching FailJob rule at index ${index}`
  }
  return undefined
}

function ending({ types, reason, message }: End, now: number) {
  const time = timestamp(now)
  const conditions = types.map(
    (type): Condition => ({
      type,
      status: 'True',
      reason,
      message,
      lastProbeTime: time,
      lastTransitionTime: time,
    }),
  )
  const told: JobStep['told'] =
    reason === COMPLETE.reason
      ? { type: 'Normal', reason: 'Completed', message: 'Job completed' }
      : { type: 'Warning', reason, message }
  return { conditions, told }
}

/** When it ended, in ms since the epoch. */
function endOf(job: Job): number | undefined {
  const end = ['Complete', 'Failed']
    .map((type) => conditionOf(job, type))
    .find((condition) => condition?.status === 'True')
  return end && (timeOf(end.lastTransitionTime ?? undefined) ?? 0)
}

function expiry({ spec }: Job, over: number, now: number): Partial<JobStep> {
  if (spec.ttlSecondsAfterFinished === undefined) return {}
  const left = over + spec.ttlSecondsAfterFinished * 1000 - now
  return left > 0 ? { again: left } : { expired: true }
}

function deadlineOf({ spec }: Job, startedAt: number): number | undefined {
  const seconds = spec.activeDeadlineSeconds
  return seconds === undefined ? undefined : startedAt + seconds * 1000
}

/** After failures the next pod has to wait. */
function retryAt(failed: readonly Pod[]): number | undefined {
  const ends = failed.map(
    ({ status }) => timeOf(status?.containerStatuses?.[0]?.state?.terminated?.finishedAt) ?? 0,
  )
  return ends.length === 0 ? undefined : Math.max(...ends) + BACKOFF_MS * 2 ** (ends.length - 1)
}
