import { phaseOf } from '../kubevirt/migration.ts'
import type { Subject } from '../migrate/find.ts'
import type { Observed } from '../migrate/observed.ts'
import { doneOf } from '../migrate/progress.ts'
import { reportOf } from '../migrate/report.ts'
import { warningsOf } from '../migrate/steps.ts'
import { failureOf, type Timeline, type TimelineEntry, timelineOf } from '../migrate/timeline.ts'
import { checkText, DETAIL_OFFSET, markOf } from './checklist.ts'
import { neutral } from './neutral.ts'
import { wideBar } from './progress.ts'
import type { Terminal } from './terminal.ts'
import { formatAge, formatTime } from './units.ts'
import { padEnd } from './width.ts'
import { activeDetail, copiedText, doneDetail, phaseName, spanText, warningText } from './words.ts'
import { wrap } from './wrap.ts'

/** One migration: where it is now and for how long, then its phases with their durations, then its warnings. */
export function timelineLines(observed: Observed, terminal: Terminal, now: number): string[] {
  const timeline = timelineOf(observed, now)
  const warnings = warningsOf(observed)
  const times = timeline.entries.map(({ at }) => (at === undefined ? '' : formatTime(at, now)))
  const width = Math.max(...times.map((time) => time.length))
  return [
    ...onLines(headline(observed, timeline, terminal, now), terminal),
    '',
    ...timeline.entries.flatMap((entry, i) =>
      entryLines(entry, padEnd(times[i]!, width), observed, terminal, now),
    ),
    ...(warnings.length > 0 ? [''] : []),
    ...warnings.flatMap((event) => {
      const [first = '', ...rest] = onLines(neutral(warningText(event)), terminal, 2)
      return [`${markOf('warning', terminal)} ${first}`, ...rest.map((line) => `  ${line}`)]
    }),
  ]
}

/** What must be read whole goes on below where a terminal is too narrow; a pipe gets it on one line. */
function onLines(text: string, { interactive, columns }: Terminal, indent = 0): string[] {
  return interactive ? wrap(text, Math.max(20, columns() - indent)) : [text]
}

/** A VM without migration. */
export function noMigrationText({ namespace, name, vmi }: Subject): string {
  const place = vmi?.status?.nodeName ? ` runs on ${vmi.status.nodeName}` : ' is not running'
  return neutral(`${name} in namespace ${namespace}${place}; it has no migration`)
}

/** `vm-1: Running for 12s (kubectl-mig-x7k2p in demo), node-1 → node-3` */
function headline(
  observed: Observed,
  { outcome, phase, since, total }: Timeline,
  { theme }: Terminal,
  now: number,
): string {
  const { name, namespace } = observed.migration.metadata
  const { vm, sourceNode, targetNode } = reportOf(observed, now)
  const route = sourceNode
    ? `, ${sourceNode}${targetNode ? ` ${theme.symbols.arrow} ${targetNode}` : ''}`
    : ''
  const age = since === undefined ? '' : ` ${formatAge(now - since)}`
  const state =
    outcome === 'running'
      ? `${phaseName(phase)}${age ? ` for${age}` : ''}`
      : `${OUTCOMES[outcome]}${age ? `${age} ago` : ''}${total ? `, after ${spanText(total)}` : ''}`
  return `${theme.strong(neutral(vm))}: ${neutral(`${state}${route}`)} ${theme.quiet(neutral(`(${name} in ${namespace})`))}`
}

const OUTCOMES = {
  succeeded: 'moved',
  failed: 'failed',
  cancelled: 'cancelled',
  unknown: 'gone',
} as const

function entryLines(
  entry: TimelineEntry,
  time: string,
  observed: Observed,
  terminal: Terminal,
  now: number,
): string[] {
  const { theme } = terminal
  const { phase, state, took } = entry
  const detailAt = 2 + time.length + 2 + DETAIL_OFFSET
  const details = onLines(neutral(detailOf(entry, observed, now)), terminal, detailAt)
  const [detail = '', ...rest] = details
  const text = checkText({ label: phaseName(phase), took: spanText(took), detail })
  if (state === 'ahead') return [theme.quiet(`${theme.symbols.waiting} ${time}  ${text}`)]
  const below = ' '.repeat(detailAt)
  const part = state === 'current' && observed.progress ? doneOf(observed.progress) : undefined
  return [
    `${symbolOf(entry, observed, terminal)} ${theme.quiet(time)}  ${text}`,
    ...rest.map((line) => `${below}${line}`),
    ...(part === undefined ? [] : [`${below}${wideBar(part, detailAt, terminal)}`]),
  ]
}

function symbolOf({ phase, state }: TimelineEntry, { migration }: Observed, terminal: Terminal) {
  if (phase === 'Failed') return markOf('failed', terminal)
  if (state === 'done') return markOf('done', terminal)
  return phaseOf(migration) === phase
    ? terminal.theme.active(terminal.theme.symbols.active)
    : markOf('waiting', terminal)
}

function detailOf({ phase, state }: TimelineEntry, observed: Observed, now: number): string {
  if (state === 'ahead') return ''
  if (state === 'current') return activeDetail(phase, observed, now)
  if (phase === 'Failed') return failureOf(observed)?.reason ?? 'no reason is recorded'
  if (phase === 'Succeeded') return copiedText(reportOf(observed, now).copy)
  return doneDetail(phase, observed)
}
