import type { Clock } from '../clock.ts'
import { isStatus } from '../cluster/api-error.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { remove } from '../cluster/objects.ts'
import { EXIT, MigError } from '../errors.ts'
import { isFinal, phaseOf } from '../kubevirt/migration.ts'
import type { Reference } from '../kubevirt/reference.ts'
import { MIGRATIONS } from '../kubevirt/resources.ts'
import type { Migration } from '../kubevirt/types.ts'
import { type AbortDecision, abortOf } from '../rules/abort.ts'
import { undoEviction } from './eviction.ts'
import { findSubject } from './find.ts'
import { follow } from './follow.ts'
import { firstSight, type Observed, ownState } from './observed.ts'
import { emptyReport, refusedReport, reportOf } from './report.ts'
import type { Result } from './result.ts'
import type { Step } from './steps.ts'
import { isCancelling, outcomeOf } from './timeline.ts'

export interface CancelOptions {
  namespace: string
  clock: Clock
  /** Its reason is a MigError: interrupted (130) or timed out (5). What was asked for stays asked for. */
  signal: AbortSignal
  wait: boolean
  dryRun?: 'client' | 'server' | undefined
  /** First take the mark of an eviction off, so that KubeVirt makes no new migration. */
  undoEviction?: boolean
  /** Hears what happens, as it happens. */
  onStep(cancelling: Cancelling): void
}

type CancelStep =
  /** The mark of an eviction was taken off; undefined when there was none. */
  | { type: 'eviction-undone'; node: string | undefined }
  /** What deleting it does now; `again` when somebody has already asked for it. */
  | { type: 'asked'; effect: AbortDecision['effect']; again: boolean }
  | Step

export interface Cancelling {
  vm: string
  step: CancelStep
  /** Undefined where there is no migration. */
  observed: Observed | undefined
}

export interface Cancelled extends Result {
  /** The node that the VM was to leave, where its eviction was undone. */
  undone?: string | undefined
}

/** Cancels several migrations at once. Never throws a MigError: each result carries its own. */
export function cancelAll(
  cluster: Cluster,
  references: Reference[],
  options: CancelOptions,
): Promise<Cancelled[]> {
  const distinct = new Map(references.map((reference) => [reference.text, reference]))
  return Promise.all([...distinct.values()].map((one) => cancelMigration(cluster, one, options)))
}

/** Cancels one migration, which is to delete its object, and waits for the end. */
async function cancelMigration(
  cluster: Cluster,
  reference: Reference,
  options: CancelOptions,
): Promise<Cancelled> {
  const { namespace, clock, signal, dryRun, wait, onStep } = options
  let vm = reference.name
  let observed: Observed | undefined
  let undone: string | undefined
  try {
    const { migration, vmi, name } = await findSubject(cluster, reference, { namespace, signal })
    vm = name
    if (options.undoEviction) {
      signal.throwIfAborted()
      undone = await undoEviction(cluster, vmi, { dryRun, signal })
      onStep({ vm, step: { type: 'eviction-undone', node: undone }, observed })
    }
    if (!migration || isFinal(migration)) {
      if (undone === undefined) throw nothingToCancel(name, migration)
      const report = emptyReport(namespace, vm, clock.now())
      return {
        vm,
        report: { ...report, sourceNode: vmi?.status?.nodeName ?? null },
        error: undefined,
        undone,
      }
    }
    observed = firstSight(migration, vmi)
    const { effect } = abortOf(migration, ownState(observed) !== undefined)
    const again = isCancelling(observed)
    signal.throwIfAborted()
    if (dryRun !== 'client' && !again) {
      const deleted = await deleteMigration(cluster, migration, dryRun === 'server')
      // It may be gone before the first look at it.
      if (deleted && !dryRun) observed = firstSight(asDeleted(migration, clock.now()), vmi)
    }
    onStep({ vm, step: { type: 'asked', effect, again }, observed })
    if (wait && !dryRun) {
      for await (const { step, observed: now } of follow(cluster, observed, { clock, signal })) {
        observed = now
        onStep({ vm, step, observed })
      }
    }
    const report = reportOf(observed, clock.now())
    return { vm, report, error: wait && !dryRun ? tooLate(observed) : undefined, undone }
  } catch (err) {
    if (!(err instanceof MigError)) throw err
    if (!observed)
      return {
        vm,
        report: refusedReport({ namespace, vm }, { error: err }, clock.now()),
        error: err,
        undone,
      }
    return {
      vm,
      report: reportOf(observed, clock.now()),
      error: err === signal.reason ? stillAsked(err, observed.migration) : err,
      undone,
    }
  }
}

/**
 * Only this very migration, never a later one of the same name.
 * @returns whether it was there
 */
async function deleteMigration(
  cluster: Cluster,
  migration: Migration,
  dryRun: boolean,
): Promise<boolean> {
  const { namespace, name, uid } = migration.metadata
  try {
    await remove(
      cluster,
      MIGRATIONS,
      { namespace, name },
      { dryRun, ...(uid !== undefined && { preconditions: { uid } }) },
    )
    return true
  } catch (err) {
    // Gone meanwhile, or its name is another's now: following it tells how it ended.
    if (!isStatus(err, 404) && !isStatus(err, 409)) throw err
    return false
  }
}

/** As the server has it by now. In whole seconds, as its times are. */
function asDeleted(migration: Migration, now: number): Migration {
  const deletionTimestamp = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z')
  return { ...migration, metadata: { ...migration.metadata, deletionTimestamp } }
}

function nothingToCancel(vm: string, migration: Migration | undefined): MigError {
  const last = migration
    ? `: the last one, "${migration.metadata.name}", is ${phaseOf(migration)}`
    : ''
  return new MigError(EXIT.notFound, `"${vm}" has no migration in flight${last}`)
}

function stillAsked(err: MigError, { metadata }: Migration): MigError {
  return new MigError(err.exit, `${err.message}; migration "${metadata.name}" is being cancelled`, {
    hint: `"kubectl mig status vmim/${metadata.name} -n ${metadata.namespace} -w" follows it`,
    cause: err,
  })
}

/** It ended in another way before the cancelling took effect. */
function tooLate(observed: Observed): MigError | undefined {
  const { name } = observed.migration.metadata
  const outcome = outcomeOf(observed)
  if (outcome === 'cancelled') return undefined
  const node = observed.vmi?.status?.nodeName
  const how = outcome === 'unknown' ? 'is gone, and nothing says how it ended' : `had ${outcome}`
  return new MigError(
    EXIT.error,
    `migration "${name}" could not be cancelled any more: it ${how}`,
    node ? { hint: `the VM runs on ${node}` } : {},
  )
}
