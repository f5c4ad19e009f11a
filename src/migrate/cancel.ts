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
import { findSubject } from './find.ts'
import { follow } from './follow.ts'
import { firstSight, type Observed, ownState } from './observed.ts'
import { type MigrationReport, reportOf } from './report.ts'
import type { Step } from './steps.ts'
import { isCancelling, outcomeOf } from './timeline.ts'

export interface CancelOptions {
  namespace: string
  clock: Clock
  /** Its reason is a MigError: interrupted (130) or timed out (5). What was asked for stays asked for. */
  signal: AbortSignal
  wait: boolean
  dryRun?: 'client' | 'server' | undefined
}

export type CancelStep =
  /** What deleting it does now; `again` when somebody has already asked. */
  { type: 'asked'; effect: AbortDecision['effect']; again: boolean; phase: string } | Step

export interface Cancelling {
  step: CancelStep
  observed: Observed
}

/**
 * Cancels a migration, which is to delete its object, and waits for the end.
 * @throws MigError: nothing of the name or nothing in flight (9), not permitted (8), it ended before (1), the signal's
 */
export async function* cancelMigration(
  cluster: Cluster,
  reference: Reference,
  options: CancelOptions,
): AsyncGenerator<Cancelling, MigrationReport, undefined> {
  const { namespace, clock, signal, dryRun } = options
  const { migration, vmi, name } = await findSubject(cluster, reference, { namespace, signal })
  if (!migration || isFinal(migration)) throw nothingToCancel(name, migration)
  let observed = firstSight(migration, vmi)
  const { effect } = abortOf(migration, ownState(observed) !== undefined)
  const again = isCancelling(observed)
  signal.throwIfAborted()
  if (dryRun !== 'client' && !again) await deleteMigration(cluster, migration, dryRun === 'server')
  yield { step: { type: 'asked', effect, again, phase: phaseOf(migration) }, observed }
  if (!options.wait || dryRun) return reportOf(observed, clock.now())
  try {
    for await (const { step, observed: now } of follow(cluster, observed, options)) {
      observed = now
      yield { step, observed }
    }
  } catch (err) {
    throw err instanceof MigError ? stillAsked(err, migration) : err
  }
  const report = reportOf(observed, clock.now())
  if (report.outcome === 'cancelled') return report
  throw tooLate(observed)
}

/** Only this very migration, never a later one of the same name. */
async function deleteMigration(cluster: Cluster, migration: Migration, dryRun: boolean) {
  const { namespace, name, uid } = migration.metadata
  try {
    await remove(
      cluster,
      MIGRATIONS,
      { namespace, name },
      { dryRun, ...(uid !== undefined && { preconditions: { uid } }) },
    )
  } catch (err) {
    // Gone meanwhile, or its name is another's now: following it tells how it ended.
    if (!isStatus(err, 404) && !isStatus(err, 409)) throw err
  }
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

function tooLate(observed: Observed): MigError {
  const { name } = observed.migration.metadata
  const outcome = outcomeOf(observed)
  const node = observed.vmi?.status?.nodeName
  const how = outcome === 'unknown' ? 'is gone, and nothing says how it ended' : `had ${outcome}`
  return new MigError(
    EXIT.error,
    `migration "${name}" could not be cancelled any more: it ${how}`,
    node ? { hint: `the VM runs on ${node}` } : {},
  )
}
