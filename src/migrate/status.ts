import type { Cluster } from '../cluster/cluster.ts'
import { isFinal } from '../kubevirt/migration.ts'
import type { Reference } from '../kubevirt/reference.ts'
import { findSubject, type Subject } from './find.ts'
import { follow } from './follow.ts'
import type { Gap } from './gap.ts'
import { type ListOptions, listMigrations } from './list.ts'
import { type Look, lookAt } from './look.ts'
import type { Observed } from './observed.ts'
import { readSettings } from './read-settings.ts'
import {
  emptyReport,
  listOf,
  type MigrationList,
  type MigrationReport,
  reportOf,
} from './report.ts'
import type { SettingReport } from './settings.ts'
import { type ListChange, watchMigrations } from './watch-list.ts'

/** What `kubectl mig status` has to show: one VM's migration, or many. */
export interface Status {
  /** Undefined for a list. */
  subject: Subject | undefined
  migrations: Observed[]
  /** Of one VM: what is configured now. */
  settings: SettingReport[] | undefined
  gaps: Gap[]
}

export interface StatusOptions extends ListOptions {
  /** Undefined: all migrations. */
  reference: Reference | undefined
}

/**
 * Where migrations are now.
 * @throws MigError: nothing of that name (9), not permitted (8), unreachable (1)
 */
export async function readStatus(
  cluster: Cluster,
  { reference, ...options }: StatusOptions,
  look: Look,
): Promise<Status> {
  if (!reference)
    return {
      subject: undefined,
      migrations: await listMigrations(cluster, options, look),
      settings: undefined,
      gaps: [],
    }
  const subject = await findSubject(cluster, reference, {
    namespace: options.namespace ?? cluster.namespace,
    signal: look.signal,
  })
  const { migration, vmi } = subject
  const [{ settings, gaps }, seen] = await Promise.all([
    readSettings(cluster, subject, look),
    migration && lookAt(cluster, { migration, vmi }, look),
  ])
  const migrations = seen ? [seen.observed] : []
  return { subject, migrations, settings, gaps: [...(seen?.gaps ?? []), ...gaps] }
}

export interface StatusChange extends ListChange {
  /** Of one VM: its status after the change. */
  single?: Status | undefined
}

/**
 * The status, then every change of it: of one migration to its end, of all of them for ever. A VM that has none yet is
 * watched until it has.
 */
export async function* watchStatus(
  cluster: Cluster,
  options: StatusOptions,
  look: Look,
): AsyncGenerator<StatusChange, void, undefined> {
  if (!options.reference) return yield* watchMigrations(cluster, options, look)
  const status = await readStatus(cluster, options, look)
  let [first] = status.migrations
  const changed = (step: StatusChange['step'], migrations: Observed[]): StatusChange => ({
    step,
    observed: migrations[0],
    migrations: () => migrations,
    single: { ...status, migrations },
  })
  yield changed({ type: 'listed' }, status.migrations)
  if (first && isFinal(first.migration)) return
  if (!first) {
    const { namespace = cluster.namespace } = options
    for await (const { step, observed } of watchMigrations(cluster, { namespace }, look)) {
      if (step.type === 'lost' || step.type === 'regained') yield changed(step, [])
      if (step.type !== 'created' || step.migration.spec.vmiName !== status.subject?.name) continue
      first = observed
      break
    }
    if (!first) return
    yield changed({ type: 'created', migration: first.migration }, [first])
  }
  for await (const { step, observed } of follow(cluster, first, look))
    yield changed(step, [observed])
}

/** As JSON and YAML: a report for one, a list for many. */
export function statusDocument(
  { subject, migrations, settings, gaps }: Status,
  now: number,
): MigrationReport | MigrationList {
  if (!subject)
    return listOf(
      migrations.map((observed) => reportOf(observed, now)),
      now,
    )
  const [observed] = migrations
  if (observed) return reportOf(observed, now, { gaps, settings })
  const report = emptyReport(subject.namespace, subject.name, now)
  return {
    ...report,
    sourceNode: subject.vmi?.status?.nodeName ?? null,
    settings: settings ?? null,
    gaps,
  }
}
