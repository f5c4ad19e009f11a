import { EXIT } from '../errors.ts'
import type { Cancelled } from '../migrate/cancel.ts'
import type { Moved } from '../migrate/move.ts'
import { listOf, type MigrationReport } from '../migrate/report.ts'
import { commonRefusal, type Result } from '../migrate/result.ts'
import { neutral } from './neutral.ts'
import { type Format, formatDocument } from './output.ts'
import { type Cell, table } from './table.ts'
import type { Terminal } from './terminal.ts'
import type { Style } from './theme.ts'
import { formatBytes, formatDuration, formatMilliseconds } from './units.ts'
import { copiedText, movedText } from './words.ts'

/** The answer about VMs that were to be moved, for stdout. */
export async function movesText(
  moves: Moved[],
  format: Format | undefined,
  terminal: Terminal,
): Promise<string> {
  const planned = moves.flatMap(({ planned }) => (planned ? headFirst(planned) : []))
  if (planned.length > 0) return plannedText(planned, format)
  if (!format) return lines(resultLines(moves, terminal))
  return reportsText(moves, format)
}

/** A sentence for one, a table for several; where none was moved for one reason the error says all. */
function resultLines(moves: Moved[], terminal: Terminal): string[] {
  const [one] = moves
  if (commonRefusal(moves) && moves.every(({ error }) => error)) return []
  if (moves.length > 1 || !one) return table(TITLES, moves.map(resultRow), terminal)
  const { report, error } = one
  if (error) return []
  if (report.outcome === 'running')
    return [neutral(`${report.vm}: migration ${report.migration?.name} created`)]
  const [moved, copied] = [neutral(movedText(report)), copiedText(report.copy)]
  const { interactive, theme } = terminal
  return interactive ? [theme.strong(moved), `  ${copied}`] : [`${moved}: ${copied}`]
}

/** The objects of a dry run, as kubectl prints objects: ready for `kubectl create -f -`. */
async function plannedText(objects: object[], format: Format = 'yaml'): Promise<string> {
  if (objects.length === 1) return formatDocument(objects[0], format)
  if (format === 'json')
    return formatDocument({ apiVersion: 'v1', kind: 'List', metadata: {}, items: objects }, format)
  const texts = objects.map((object) => formatDocument(object, format, { stream: true }))
  return (await Promise.all(texts)).join('')
}

/** A server's answer comes in any order. */
function headFirst({ apiVersion, kind, metadata, ...rest }: NonNullable<Moved['planned']>): object {
  return { apiVersion, kind, metadata, ...rest }
}

const TITLES = ['VM', 'RESULT', 'SOURCE', 'TARGET', 'TOOK', 'COPIED', 'ROUNDS', 'DOWNTIME']

function resultRow({ report }: Moved): Cell[] {
  const { vm, sourceNode, targetNode, durationSeconds, copy, outcome } = report
  const ended = outcome === 'succeeded'
  const measured = (value: number | null | undefined, format: (value: number) => string) =>
    value === null || value === undefined ? (ended ? 'unknown' : '') : format(value)
  return [
    vm,
    { text: RESULTS[outcome][0], style: RESULTS[outcome][1] },
    sourceNode ?? '',
    targetNode ?? '',
    durationSeconds === null ? '' : formatDuration(durationSeconds * 1000),
    measured(copy?.transferredBytes, formatBytes),
    measured(copy?.rounds, String),
    measured(copy?.downtimeSeconds, (seconds) => formatMilliseconds(seconds * 1000)),
  ]
}

const RESULTS: Record<MigrationReport['outcome'], [string, Style | undefined]> = {
  none: ['none', undefined],
  refused: ['not moved', 'bad'],
  planned: ['planned', undefined],
  running: ['in flight', 'active'],
  succeeded: ['moved', 'good'],
  failed: ['failed', 'bad'],
  cancelled: ['cancelled', 'warn'],
  unknown: ['unknown', 'warn'],
}

/** The answer about migrations that were to be cancelled. */
export async function cancelText(
  results: Cancelled[],
  { format, dryRun }: { format?: Format | undefined; dryRun?: string | undefined },
): Promise<string> {
  if (format) return reportsText(results, format)
  return lines(
    results
      .filter(({ error }) => !error)
      .map(({ vm, report, undone }) => {
        if (!report.migration) {
          const would = dryRun ? `would be undone (${dryRun} dry run)` : 'is undone'
          return neutral(`${vm}: its eviction from ${undone} ${would}; no migration is in flight`)
        }
        const name = `migration ${report.migration?.name}`
        if (dryRun) return neutral(`${vm}: ${name} would be cancelled (${dryRun} dry run)`)
        if (report.outcome !== 'cancelled') return neutral(`${vm}: ${name} is being cancelled`)
        const place = report.sourceNode ? `; the VM stays on ${report.sourceNode}` : ''
        return neutral(`${vm}: ${name} cancelled${place}`)
      }),
  )
}

/** For stderr, where there are several: each one's own error, but for an interruption, which ended them all. */
export function errorLines(results: Result[]): string {
  if (results.length < 2 || commonRefusal(results)) return ''
  return lines(
    results.flatMap(({ vm, error, report: { verdict } }) => {
      if (!error || error.exit === EXIT.interrupted) return []
      const named = `"${vm}" `
      const { message } = error
      const why = verdict ? [`${vm}: ${verdict.title} (${verdict.code})`] : []
      return [
        `${vm}: ${message.startsWith(named) ? message.slice(named.length) : message}`,
        ...why,
      ].map(neutral)
    }),
  )
}

function reportsText(results: Result[], format: Format): Promise<string> {
  const reports = results.map(({ report }) => report)
  const [one] = reports
  if (reports.length === 1 && one) return formatDocument(one, format)
  return formatDocument(listOf(reports, Date.parse(one?.generatedAt ?? '')), format)
}

function lines(all: string[]): string {
  return all.map((line) => `${line}\n`).join('')
}
