import { type Observed, ownState } from '../migrate/observed.ts'
import { doneOf } from '../migrate/progress.ts'
import { reportOf } from '../migrate/report.ts'
import { warningsOf } from '../migrate/steps.ts'
import { failureOf, type Outcome, timelineOf } from '../migrate/timeline.ts'
import { progressBar } from './progress.ts'
import { type Cell, table } from './table.ts'
import type { Terminal } from './terminal.ts'
import type { Style, Theme } from './theme.ts'
import { formatAge, formatPercent } from './units.ts'
import {
  activeDetail,
  copiedText,
  copyText,
  phaseName,
  spanText,
  troubleText,
  warningText,
} from './words.ts'

export const MIGRATION_TITLES = ['VM', 'PHASE', 'FOR', 'SOURCE', 'TARGET', 'NOW']

export interface StatusTableOptions {
  namespaces?: boolean
  /** The migrations' own names too. */
  wide?: boolean
}

/** Migrations as a table, in the order given. */
export function statusLines(
  migrations: Observed[],
  terminal: Terminal,
  now: number,
  { namespaces = false, wide = false }: StatusTableOptions = {},
): string[] {
  const titles = [
    ...(namespaces ? ['NAMESPACE'] : []),
    'VM',
    ...(wide ? ['MIGRATION'] : []),
    ...MIGRATION_TITLES.slice(1),
  ]
  const rows = migrations.map((observed) => {
    const { namespace = '', name } = observed.migration.metadata
    const [vm, ...rest] = migrationRow(observed, terminal.theme, now)
    return [...(namespaces ? [namespace] : []), vm!, ...(wide ? [name] : []), ...rest]
  })
  return table(titles, rows, terminal)
}

/** The cells under MIGRATION_TITLES. */
export function migrationRow(observed: Observed, theme: Theme, now: number): Cell[] {
  const { outcome, phase, entries, since } = timelineOf(observed, now)
  const current = entries.find(({ state }) => state === 'current')?.took
  const { vm, sourceNode, targetNode } = reportOf(observed, now)
  const style = STYLES[outcome]
  return [
    vm,
    { text: outcome === 'cancelled' ? 'Cancelled' : phaseName(phase), ...(style && { style }) },
    current ? spanText(current) : since === undefined ? '' : formatAge(now - since),
    sourceNode ?? '',
    targetNode ?? '',
    nowCell(observed, outcome, theme, now),
  ]
}

const STYLES: Record<Outcome, Style | undefined> = {
  running: 'active',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'warn',
  unknown: 'warn',
}

function nowCell(observed: Observed, outcome: Outcome, theme: Theme, now: number): Cell {
  if (outcome === 'succeeded') {
    const { durationSeconds, copy } = reportOf(observed, now)
    const took = durationSeconds === null ? '' : `took ${formatAge(durationSeconds * 1000)}`
    const known = copy?.transferredBytes === null || !copy ? '' : copiedText(copy)
    return [took, known].filter(Boolean).join(', ')
  }
  if (outcome !== 'running') return failureOf(observed)?.reason ?? ''
  const { progress } = observed
  const done = progress && ownState(observed)?.completed !== true ? doneOf(progress) : undefined
  if (progress && done !== undefined) {
    const bar = progressBar(done, 10, theme)
    return { text: `${formatPercent(done).padStart(4)}, ${copyText(progress)}`, before: bar }
  }
  const trouble = troubleText(observed, now)
  if (trouble) return trouble
  const warning = warningsOf(observed).at(-1)
  const detail = activeDetail(timelineOf(observed, now).phase, observed, now)
  return warning ? `${detail}; ${warningText(warning)}` : detail
}
