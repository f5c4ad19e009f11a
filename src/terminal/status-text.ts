import { reportOf } from '../migrate/report.ts'
import type { Status } from '../migrate/status.ts'
import { neutral } from './neutral.ts'
import { settingLines } from './settings-view.ts'
import { type StatusTableOptions, statusLines } from './status-table.ts'
import type { Terminal } from './terminal.ts'
import { noMigrationText, timelineLines } from './timeline-view.ts'

/** A status as a person reads it: the timeline of one migration, or a table of many. */
export function statusText(
  { subject, migrations, settings, gaps }: Status,
  terminal: Terminal,
  now: number,
  options: StatusTableOptions,
): string[] {
  if (!subject) return migrations.length > 0 ? statusLines(migrations, terminal, now, options) : []
  const [observed] = migrations
  if (!observed) return [noMigrationText(subject)]
  const unseen = gaps.map(({ what, why }) =>
    terminal.theme.quiet(neutral(`not visible: ${what}: ${why}`)),
  )
  const holding = reportOf(observed, now, { settings }).settings ?? []
  return [
    ...timelineLines(observed, terminal, now),
    ...(holding.length > 0 ? ['', ...settingLines(holding, terminal)] : []),
    ...(unseen.length > 0 ? ['', ...unseen] : []),
  ]
}

/** For stderr, where the table would be empty. */
export function nothingText({
  namespace,
  all,
}: {
  namespace: string | undefined
  all: boolean
}): string {
  const place = namespace === undefined ? 'in any namespace' : `in namespace "${namespace}"`
  return all
    ? `no migration ${place}`
    : `no migration is in flight or ended within the last hour ${place}; --all shows older ones`
}
