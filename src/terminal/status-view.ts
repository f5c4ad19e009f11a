import type { Observed } from '../migrate/observed.ts'
import { reportOf } from '../migrate/report.ts'
import { type Status, type StatusChange, statusDocument } from '../migrate/status.ts'
import { BACK, createLiveContent, lostText } from './live-content.ts'
import { neutral } from './neutral.ts'
import { type Format, formatDocument } from './output.ts'
import { createPlainView } from './plain-view.ts'
import { type StatusTableOptions, statusLines } from './status-table.ts'
import { statusText } from './status-text.ts'
import type { Terminal } from './terminal.ts'
import { timelineLines } from './timeline-view.ts'
import { showWatch, type WatchView, type WatchViewOptions } from './watch-view.ts'

export type StatusViewOptions = StatusTableOptions & WatchViewOptions

/**
 * What `status -w` shows, until the changes end: a live view on a terminal, a line for each change on a pipe, a document
 * for each change with a format. The terminal is given back however it ends.
 */
export async function showChanges(
  changes: AsyncIterable<StatusChange>,
  terminal: Terminal,
  options: StatusViewOptions,
): Promise<void> {
  const view = options.format
    ? documentView(terminal, options.format, options)
    : terminal.interactive
      ? liveView(terminal, options)
      : lineView(terminal, options)
  await showWatch(changes, view)
}

function liveView(terminal: Terminal, options: StatusViewOptions): WatchView<StatusChange> {
  const view = createLiveContent(terminal)
  let listed = false
  return {
    show({ step, migrations, single }) {
      if (step.type === 'lost') view.lost(step.message)
      if (step.type === 'regained') view.lost(undefined)
      listed ||= step.type === 'listed'
      if (!listed) return
      view.show(() => withLatest(contentOf({ migrations, single }, terminal, options), single))
    },
    close: view.close,
  }

  /** What goes on now stays in a low window: where the phases do not fit, the first ones give way. */
  function withLatest(lines: string[], single: Status | undefined): string[] {
    const [observed] = single?.migrations ?? []
    if (!observed) return lines
    const timeline = timelineLines(observed, terminal, options.now())
    const over = timeline.length - (terminal.rows() - 1)
    if (over <= 0) return lines
    const head = timeline.indexOf('') + 1
    return [...timeline.slice(0, head), ...timeline.slice(head + over)]
  }
}

/** First what is there, then a line for each thing that happens. */
function lineView(terminal: Terminal, options: StatusViewOptions): WatchView<StatusChange> {
  const view = createPlainView(terminal, options.now)
  let listed = false
  return {
    show({ step, observed, migrations, single }) {
      if (step.type === 'listed') {
        listed = true
        const lines = contentOf({ migrations, single }, terminal, options)
        for (const line of lines) terminal.write(`${line}\n`)
      } else if (listed && step.type !== 'removed')
        view.show({ vm: nameOf(observed, options), step, observed })
    },
    close: () => view.close(),
  }
}

function documentView(
  terminal: Terminal,
  format: Format,
  options: StatusViewOptions,
): WatchView<StatusChange> {
  const { now, warn } = options
  return {
    async show({ step, observed, single }) {
      if (step.type === 'lost') return warn(neutral(lostText(step.message)))
      if (step.type === 'regained') return warn(BACK)
      if (step.type === 'removed' || (!observed && !single)) return
      const document = single ? statusDocument(single, now()) : reportOf(observed!, now())
      terminal.write(await formatDocument(document, format, { stream: true }))
    },
    close() {},
  }
}

function contentOf(
  { migrations, single }: Pick<StatusChange, 'migrations' | 'single'>,
  terminal: Terminal,
  { now, ...table }: StatusViewOptions,
): string[] {
  if (single) return statusText(single, terminal, now(), table)
  const all = migrations()
  return all.length > 0 ? statusLines(all, terminal, now(), table) : ['no migration in flight']
}

/** With its namespace where several are watched. */
function nameOf(observed: Observed | undefined, { namespaces }: StatusViewOptions): string {
  if (!observed) return 'status'
  const { metadata, spec } = observed.migration
  return namespaces ? `${metadata.namespace}/${spec.vmiName}` : (spec.vmiName ?? '')
}
