import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { ReportVerdict } from '../diagnose/report.ts'
import { EXIT, MigError, type MigErrorOptions } from '../errors.ts'
import { isFinal } from '../kubevirt/migration.ts'
import type { Reference } from '../kubevirt/reference.ts'
import type { Migration, Vmi } from '../kubevirt/types.ts'
import type { Explain } from './explain.ts'
import { readFacts } from './facts.ts'
import { type FollowOptions, follow } from './follow.ts'
import { currentSettings, type Forecast, forecast, type Surroundings } from './forecast.ts'
import { type Gap, toGap } from './gap.ts'
import { firstSight, type Observed } from './observed.ts'
import { emptyReport, refusedReport, reportOf } from './report.ts'
import type { Result } from './result.ts'
import type { SettingReport } from './settings.ts'
import { watchStandstill } from './standstill.ts'
import { migrationObject, type NewMigration, startMigration, startSurely } from './start.ts'
import type { Step } from './steps.ts'
import { type Target, targetBlockers } from './target.ts'
import { failureOf, outcomeOf } from './timeline.ts'

export interface MoveOptions {
  namespace: string
  clock: Clock
  /** Its reason is a MigError: interrupted (130) or timed out (5). The migration itself goes on. */
  signal: AbortSignal
  /** False returns once it is created. */
  wait: boolean
  dryRun?: 'client' | 'server' | undefined
  /** Where to; undefined leaves it to the scheduler. */
  target?: Target | undefined
  /** How long one may stand still before it is diagnosed, ms; a minute unless said otherwise. */
  patience?: number
  /** Hears what happens, as it happens. */
  onStep(moving: Moving): void
}

/** What concerns one of several. */
export interface MoveOneOptions extends MoveOptions, Pick<FollowOptions, 'readView'> {
  readSurroundings(): Promise<Surroundings>
  explain: Explain
  annotations?: Record<string, string> | undefined
  /** A migration of the VM that is in flight is followed instead of being in the way. */
  join: boolean
}

type MoveStep =
  | { type: 'forecast'; forecast: Forecast }
  | { type: 'created'; migration: Migration }
  /** One that was in flight is followed. */
  | { type: 'joined'; migration: Migration }
  /** An earlier run has moved it. */
  | { type: 'moved-before'; migration: Migration }
  /** Nothing was created. */
  | { type: 'refused'; error: MigError }
  /** It failed, or stood still for so long (ms): what a diagnosis says of it. */
  | { type: 'verdict'; verdict: ReportVerdict; stillFor: number | undefined }
  | Step

export interface Moving {
  vm: string
  step: MoveStep
  /** Undefined until it is created. */
  observed: Observed | undefined
}

export interface Moved extends Result {
  /** The object of a dry run. */
  planned: NewMigration | Migration | undefined
}

/**
 * Moves one VM: forecast, creation, then all steps to the end. Never throws a MigError: the result carries it, so that
 * one VM's refusal doesn't stop another's move.
 */
export async function moveVm(
  cluster: Cluster,
  reference: Reference,
  options: MoveOneOptions,
): Promise<Moved> {
  const { clock, namespace, signal, target, annotations } = options
  const vm = reference.name
  const tell = (step: MoveStep) => options.onStep({ vm, step, observed })
  let predicted: Forecast | undefined
  let observed: Observed | undefined
  let settings: SettingReport[] | undefined
  let verdict: ReportVerdict | undefined
  let gaps: Gap[] = []
  const ended = (last: Observed, error: MigError | undefined): Moved => {
    const report = reportOf(last, clock.now(), { gaps, settings, forecast: predicted, verdict })
    return { vm, report, error, planned: undefined }
  }
  try {
    signal.throwIfAborted()
    const around = options.readSurroundings()
    const facts = await readFacts(cluster, reference, { namespace, signal }, around)
    const active = options.join ? joinable(facts.migrations, target) : undefined
    if (active) {
      observed = firstSight(active, facts.vmi)
      tell({ type: 'joined', migration: active })
      return await toTheEnd(observed)
    }
    predicted = forecast(facts, target?.node)
    gaps = [...predicted.gaps]
    settings = currentSettings(facts, predicted)
    if (target) predicted.blockers.push(...targetBlockers(target, facts.vmi, facts.kubevirt))
    tell({ type: 'forecast', forecast: predicted })
    if (predicted.blockers.length > 0) throw notAdmitted(vm, namespace, predicted)
    signal.throwIfAborted()
    const { addedNodeSelector } = target ?? {}
    const object = migrationObject(namespace, vm, { addedNodeSelector, annotations })
    if (options.dryRun) {
      const dryRun = options.dryRun === 'server'
      const planned = dryRun ? await startMigration(cluster, object, { dryRun }) : object
      const report = { ...emptyReport(namespace, vm, clock.now()), outcome: 'planned' as const }
      return { vm, report, error: undefined, planned }
    }
    // Without the signal: what was begun is finished, so that it is known whether there is a migration.
    const migration = await startSurely(cluster, object, facts.migrations)
    observed = seenFromStart(migration, facts.vmi, clock.now())
    tell({ type: 'created', migration })
    return await toTheEnd(observed)
  } catch (err) {
    if (!(err instanceof MigError)) throw err
    if (observed) return ended(observed, stillGoing(err, observed))
    const error = err === signal.reason ? nothingDone(err, vm) : err
    tell({ type: 'refused', error })
    const report = refusedReport({ namespace, vm }, { forecast: predicted, error }, clock.now())
    return { vm, report, error, planned: undefined }
  }

  async function toTheEnd(first: Observed): Promise<Moved> {
    if (!options.wait) return ended(first, endError(first))
    const patience = options.patience ?? PATIENCE
    const standstill = watchStandstill(clock, patience, (movedOn) =>
      explain(observed ?? first, AbortSignal.any([signal, movedOn]), patience),
    )
    try {
      for await (const { step, observed: now } of follow(cluster, first, options)) {
        observed = now
        if (standstill.hear(step)) verdict = undefined
        if (step.type === 'gap') gaps.push(step.gap)
        tell(step)
      }
    } finally {
      await standstill.close()
    }
    const last = observed ?? first
    if (outcomeOf(last) === 'failed') await explain(last, signal)
    return ended(last, endError(last))
  }

  /** Nothing depends on it: what can't be found out is a gap. */
  async function explain(
    { migration }: Observed,
    until: AbortSignal,
    stillFor?: number,
  ): Promise<void> {
    try {
      const found = await options.explain(migration, until)
      if (until.aborted) return
      verdict = found
      tell({ type: 'verdict', verdict, stillFor })
    } catch (err) {
      if (until.aborted) return
      const gap = toGap('the cause', err)
      gaps.push(gap)
      tell({ type: 'gap', gap })
    }
  }
}

/** Longer than any stage needs that goes well. ms. */
const PATIENCE = 60_000

/** One that is on its way to where this one would go. */
function joinable(migrations: Migration[], target: Target | undefined): Migration | undefined {
  const active = migrations.find((migration) => !isFinal(migration))
  const selector = active?.spec.addedNodeSelector
  const fits = Object.entries(target?.addedNodeSelector ?? {}).every(
    ([key, value]) => selector?.[key] === value,
  )
  return fits ? active : undefined
}

/** We made it and saw its beginning. */
function seenFromStart(migration: Migration, vmi: Vmi | undefined, now: number): Observed {
  return { ...firstSight(migration, vmi), seenAt: new Map([['', now]]) }
}

function endError(observed: Observed): MigError | undefined {
  const { name, namespace } = observed.migration.metadata
  const vm = observed.migration.spec.vmiName
  const where = `migration "${name}" of "${vm}"`
  switch (outcomeOf(observed)) {
    case 'failed': {
      const reason = failureOf(observed)?.reason ?? 'no reason is recorded'
      return new MigError(EXIT.migrationFailed, `${where} failed: ${reason}`, {
        hint: `"kubectl mig diagnose vmim/${name} -n ${namespace} --logs" looks for the cause`,
      })
    }
    case 'cancelled':
      return new MigError(EXIT.migrationCancelled, `${where} was cancelled`, stays(observed))
    case 'unknown':
      return new MigError(EXIT.error, `${where} is gone, and nothing says how it ended`, {
        hint: `"kubectl mig status vm/${vm} -n ${namespace}" shows where the VM is`,
      })
    default:
      return undefined
  }
}

/** Unless the VM itself is gone: then its migration was cancelled with it. */
function stays({ vmi }: Observed): MigErrorOptions {
  const node = vmi?.status?.nodeName
  return node ? { hint: `the VM runs on ${node} as before` } : {}
}

/** Interrupted, timed out, or lost for good: whatever it is, the migration itself goes on. */
function stillGoing(err: MigError, { migration }: Observed): MigError {
  const { name, namespace } = migration.metadata
  // Such as the role that a watch needs.
  const help = err.hint === undefined ? '' : `${err.hint}; `
  return new MigError(err.exit, `${err.message}; migration "${name}" goes on`, {
    hint: `${help}"kubectl mig status vmim/${name} -n ${namespace} -w" follows it, "kubectl mig cancel vmim/${name} -n ${namespace}" ends it`,
    cause: err,
  })
}

/** Exit code 5 would say that a migration goes on. */
function nothingDone(err: MigError, vm: string): MigError {
  const exit = err.exit === EXIT.timeout ? EXIT.error : err.exit
  return new MigError(exit, `${err.message}; nothing was created for "${vm}"`, { cause: err })
}

function notAdmitted(vm: string, namespace: string, { blockers }: Forecast): MigError {
  const reasons = blockers.map(({ migration, message }) =>
    migration
      ? `migration "${migration.name}" is in flight (${migration.phase || 'not yet looked at'})`
      : message,
  )
  const list =
    reasons.length === 1 ? reasons[0] : reasons.map((text, i) => `(${i + 1}) ${text}`).join('; ')
  const active = blockers.find(({ migration }) => migration)
  return new MigError(EXIT.notFound, `"${vm}" cannot be migrated: ${list}`, {
    code: 'NotAdmitted',
    ...(active && {
      hint: `"kubectl mig status vm/${vm} -n ${namespace} -w" follows it, "kubectl mig cancel vm/${vm} -n ${namespace}" ends it`,
    }),
  })
}
