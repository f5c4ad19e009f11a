import type { ReportVerdict } from '../diagnose/report.ts'
import type { ExitCode, MigError } from '../errors.ts'
import { ANNOTATION } from '../kubevirt/labels.ts'
import { timeOf } from '../kubevirt/migration.ts'
import type { Migration, MigrationState } from '../kubevirt/types.ts'
import { wording } from '../rules/placement-obstacle.ts'
import type { Blocker, Forecast } from './forecast.ts'
import type { Gap } from './gap.ts'
import { eventTime, type Observed, ownState } from './observed.ts'
import { estimateOf, rateRangeOf } from './progress.ts'
import { fixedSettings, type SettingReport } from './settings.ts'
import { warningsOf } from './steps.ts'
import { failureOf, isCancelling, type Outcome, type Timeline, timelineOf } from './timeline.ts'
import { givesUpAt, hasSlot, isWaiting } from './waiting.ts'

export const API_VERSION = 'kubectl-mig/v1alpha1'

/**
 * What is told of one VM's migration in JSON and YAML (schema/MigrationReport.json). Times are RFC 3339, durations
 * seconds, sizes bytes, rates bytes a second; null is what is not known or not there.
 */
export interface MigrationReport {
  apiVersion: typeof API_VERSION
  kind: 'MigrationReport'
  generatedAt: string
  namespace: string
  vm: string
  migration: MigrationIdentity | null
  /** `none`: the VM has no migration; `refused`: nothing was created, see blockers or error; `planned`: a dry run. */
  outcome: Outcome | 'none' | 'refused' | 'planned'
  /** As KubeVirt names it; "" before a controller has looked, and where there is no migration. */
  phase: string
  since: string | null
  forSeconds: number | null
  cancelling: boolean
  /** Which limit holds it while it waits for a slot; null when none does, or it is not known. */
  waiting: WaitingReport | null
  /** When KubeVirt gives up on a target pod that no node can take. */
  deadline: string | null
  durationSeconds: number | null
  sourceNode: string | null
  targetNode: string | null
  sourcePod: string | null
  targetPod: string | null
  mode: string | null
  policy: string | null
  /** What holds for it, and who says so; null where that was not read, or it never had any. */
  settings: SettingReport[] | null
  /** What was said before it was created; null where it was made by others. */
  forecast: ForecastReport | null
  copy: CopyReport | null
  failure: { reason: string; source: string } | null
  /** What a diagnosis said of it when it failed, or stood still; null where none was made. */
  verdict: ReportVerdict | null
  timeline: { phase: string; enteredAt: string | null; seconds: number | null }[]
  warnings: {
    object: string
    reason: string
    message: string
    count: number
    time: string | null
  }[]
  blockers: Blocker[]
  /** Why nothing could be done, where it was no blocker. */
  error: { exit: ExitCode; message: string; hint: string | null } | null
  /** What could not be seen. */
  gaps: Gap[]
}

interface ForecastReport {
  policy: string | null
  /** Slots at that moment; null when they could not be counted. */
  capacity: {
    free: boolean
    /** Which limit has none left. */
    limit: 'cluster' | 'node' | null
    node: string | null
    /** Of that limit, or of the cluster's. */
    used: number
    of: number
  } | null
  /** Whether the namespace's quotas have room for the target pod; null when they could not be read. */
  quota: { fits: boolean; message: string | null } | null
  /**
   * Whether the node that was named takes the target pod, in the scheduler's words; or its own one, where its node
   * selector leaves no other; else null.
   */
  target: { node: string; fits: boolean; message: string | null } | null
}

/** What else is known when a report is made. */
export interface ReportOptions {
  gaps?: Gap[]
  /** As they are configured now. */
  settings?: SettingReport[] | undefined
  forecast?: Forecast | undefined
  verdict?: ReportVerdict | undefined
}

interface MigrationIdentity {
  name: string
  uid: string
  createdAt: string | null
  /** Who wanted it: a person, an eviction (drain), KubeVirt's workload updater. */
  origin: 'user' | 'evacuation' | 'workload-update'
}

interface WaitingReport {
  limit: 'cluster' | 'node'
  node: string | null
  used: number
  of: number
  /** The migrations that hold the slots, as NAMESPACE/NAME. */
  by: string[]
  /** How many waiting ones rank above it, and with how many it competes: KubeVirt promises no order among those. */
  above: number
  competing: number
}

export interface CopyReport {
  startedAt: string | null
  endedAt: string | null
  totalBytes: number | null
  remainingBytes: number | null
  transferredBytes: number | null
  transferRate: number | null
  /** Between what it lately was; null when there is none. */
  transferRateRange: { min: number; max: number } | null
  dirtyRate: number | null
  /** An estimate is a range; `max` null: at these rates it does not end. Null when there is none. */
  etaSeconds: { min: number; max: number | null } | null
  rounds: number | null
  downtimeSeconds: number | null
  /** The content was compared on both sides; only the lab does that. */
  verified: boolean | null
}

export interface MigrationList {
  apiVersion: typeof API_VERSION
  kind: 'MigrationList'
  generatedAt: string
  items: MigrationReport[]
}

/** A migration that is, or was, as a report. */
export function reportOf(
  observed: Observed,
  now: number,
  { gaps = [], settings, forecast, verdict }: ReportOptions = {},
): MigrationReport {
  const { migration, vmi, targetPod } = observed
  const timeline = timelineOf(observed, now)
  const state = ownState(observed)
  const over = timeline.outcome !== 'running'
  // Before hand-off the VM is where it always was; of one that ended long ago only its own state tells that.
  const isPresent = !over || observed.seenAt.size > 0
  return {
    ...emptyReport(migration.metadata.namespace ?? '', migration.spec.vmiName ?? '', now),
    migration: identityOf(migration),
    outcome: timeline.outcome,
    phase: timeline.phase,
    since: rfc3339(timeline.since),
    forSeconds: timeline.since === undefined ? null : seconds(now - timeline.since),
    cancelling: !over && isCancelling(observed),
    waiting: waitingReport(observed),
    deadline: over ? null : rfc3339(givesUpAt(observed, now)),
    durationSeconds: timeline.total ? seconds(timeline.total.ms) : null,
    sourceNode: state?.sourceNode ?? (isPresent ? (vmi?.status?.nodeName ?? null) : null),
    targetNode: state?.targetNode ?? targetPod?.spec.nodeName ?? null,
    sourcePod: state?.sourcePod ?? migration.status?.migrationState?.sourcePod ?? null,
    targetPod: state?.targetPod ?? targetPod?.metadata.name ?? null,
    mode: state?.mode ?? null,
    policy: state?.migrationPolicyName ?? null,
    settings: settingsOf(state, settings, over),
    forecast: forecast ? forecastReport(forecast) : null,
    copy: copyOf(observed, over),
    failure: timeline.outcome === 'failed' ? (failureOf(observed) ?? null) : null,
    verdict: verdict ?? null,
    timeline: timelineReport(timeline),
    warnings: warningsOf(observed).map((event) => ({
      object: `${event.involvedObject.kind}/${event.involvedObject.name}`,
      reason: event.reason ?? '',
      message: event.message ?? '',
      count: event.count ?? 1,
      time: rfc3339(eventTime(event)),
    })),
    gaps,
  }
}

/** A report of a VM about which there is nothing to tell: it has no migration, or none could be made. */
export function emptyReport(namespace: string, vm: string, now: number): MigrationReport {
  return {
    apiVersion: API_VERSION,
    kind: 'MigrationReport',
    generatedAt: new Date(now).toISOString(),
    namespace,
    vm,
    migration: null,
    outcome: 'none',
    phase: '',
    since: null,
    forSeconds: null,
    cancelling: false,
    waiting: null,
    deadline: null,
    durationSeconds: null,
    sourceNode: null,
    targetNode: null,
    sourcePod: null,
    targetPod: null,
    mode: null,
    policy: null,
    settings: null,
    forecast: null,
    copy: null,
    failure: null,
    verdict: null,
    timeline: [],
    warnings: [],
    blockers: [],
    error: null,
    gaps: [],
  }
}

/** Nothing was created. */
export function refusedReport(
  at: { namespace: string; vm: string },
  { forecast, error }: { forecast?: Forecast | undefined; error: MigError },
  now: number,
): MigrationReport {
  return {
    ...emptyReport(at.namespace, at.vm, now),
    outcome: 'refused',
    sourceNode: forecast?.node ?? null,
    forecast: forecast ? forecastReport(forecast) : null,
    blockers: forecast?.blockers ?? [],
    error: { exit: error.exit, message: error.message, hint: error.hint ?? null },
    gaps: forecast?.gaps ?? [],
  }
}

/** Fixed at hand-off; one that failed before never had any. */
function settingsOf(
  state: MigrationState | undefined,
  now: SettingReport[] | undefined,
  over: boolean,
): SettingReport[] | null {
  if (!now) return null
  const fixed = state?.migrationConfiguration
  if (fixed) return fixedSettings(fixed, now, state.migrationPolicyName)
  return over ? null : now
}

function forecastReport({
  policy,
  capacity,
  quota,
  target,
  bound,
  node,
}: Forecast): ForecastReport {
  return {
    policy: policy?.winner?.policy.metadata.name ?? null,
    capacity: capacity
      ? capacity.admit
        ? {
            free: true,
            limit: null,
            node: null,
            used: capacity.cluster.used,
            of: capacity.cluster.of,
          }
        : {
            free: false,
            limit: capacity.limit,
            node: capacity.node ?? null,
            used: capacity.used,
            of: capacity.of,
          }
      : null,
    quota: quota
      ? { fits: quota.admit, message: quota.admit ? null : quota.blockers[0].message }
      : null,
    target: target
      ? {
          node: target.node,
          fits: target.obstacle === undefined,
          message: target.obstacle ? wording(target.obstacle) : null,
        }
      : bound && node !== undefined
        ? { node, fits: false, message: 'its own node selector leaves no other node' }
        : null,
  }
}

export function listOf(items: MigrationReport[], now: number): MigrationList {
  return {
    apiVersion: API_VERSION,
    kind: 'MigrationList',
    generatedAt: new Date(now).toISOString(),
    items,
  }
}

function identityOf({ metadata }: Migration): MigrationIdentity {
  const annotations = metadata.annotations ?? {}
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    createdAt: rfc3339(timeOf(metadata.creationTimestamp)),
    origin:
      ANNOTATION.evacuationMigration in annotations
        ? 'evacuation'
        : ANNOTATION.workloadUpdateMigration in annotations
          ? 'workload-update'
          : 'user',
  }
}

function waitingReport(observed: Observed): WaitingReport | null {
  const { waiting } = observed
  if (!waiting || waiting.admit || !isWaiting(observed) || hasSlot(observed)) return null
  return {
    limit: waiting.limit,
    node: waiting.node ?? null,
    used: waiting.used,
    of: waiting.of,
    by: waiting.by.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    above: waiting.standing.above.length,
    competing: waiting.standing.competing.length,
  }
}

function copyOf(observed: Observed, over: boolean): CopyReport | null {
  const state = ownState(observed)
  const { progress, finished } = observed
  if (!state?.startTimestamp && !progress) return null
  const eta = progress && !over ? estimateOf(progress) : undefined
  return {
    startedAt: rfc3339(timeOf(state?.startTimestamp)),
    endedAt: rfc3339(timeOf(state?.endTimestamp)),
    totalBytes: progress?.totalBytes ?? null,
    remainingBytes: over ? null : (progress?.remainingBytes ?? null),
    transferredBytes: finished?.transferredBytes ?? progress?.processedBytes ?? null,
    transferRate: over ? null : (progress?.transferRate ?? null),
    transferRateRange: (progress && !over && rateRangeOf(progress)) || null,
    dirtyRate: over ? null : (progress?.dirtyRate ?? null),
    etaSeconds: eta
      ? { min: seconds(eta.minMs), max: eta.maxMs === undefined ? null : seconds(eta.maxMs) }
      : null,
    rounds: finished?.rounds ?? null,
    downtimeSeconds: finished?.downtimeSeconds ?? null,
    verified: finished?.verified ?? null,
  }
}

function timelineReport({ entries }: Timeline): MigrationReport['timeline'] {
  return entries
    .filter(({ state }) => state !== 'ahead')
    .map(({ phase, at, took }) => ({
      phase,
      enteredAt: rfc3339(at),
      seconds: took ? seconds(took.ms) : null,
    }))
}

function rfc3339(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString().replace('.000Z', 'Z')
}

/** To the millisecond. */
function seconds(ms: number): number {
  return Math.max(0, Math.round(ms)) / 1000
}
