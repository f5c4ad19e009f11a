import type { Observed } from '../migrate/observed.ts'
import { reportOf } from '../migrate/report.ts'
import type { ListChange } from '../migrate/watch-list.ts'
import { createLiveView } from './live.ts'
import { neutral } from './neutral.ts'
import { type Format, formatDocument } from './output.ts'
import { createPlainView } from './plain-view.ts'
import { type StatusTableOptions, statusLines } from './status-table.ts'
import type { Terminal } from './terminal.ts'
import { timelineLines } from './timeline-view.ts'

export interface StatusViewOptions extends StatusTableOptions {
  format: Format | undefined
  /** One migration with its timeline, instead of a table. */
  single: boolean
  now: () => number
}

/**
 * What `status -w` shows, until the changes end: a live view on a terminal, a line for each change on a pipe, a document
 * for each change with a format. The terminal is given back however it ends.
 */
export async function showChanges(
  changes: AsyncIterable<ListChange>,
  terminal: Terminal,
  options: StatusViewOptions,
): Promise<void> {
  const view = options.format
    ? documentView(terminal, options.format, options)
    : terminal.interactive
      ? liveView(terminal, options)
      : lineView(terminal, options)
  try {
    for await (const change of changes) await view.show(change)
  } finally {
    view.close()
  }
}

interface StatusView {
  show(change: ListChange): Promise<void> | void
  close(): void
}

/** How often running times are drawn anew. ms. */
const TICK = 1000

function liveView(terminal: Terminal, options: StatusViewOptions): StatusView {
  const view = createLiveView(terminal)
  let migrations: (() => Observed[]) | undefined
  let lost: string | undefined
  const draw = () => {
    if (!migrations) return
    const notice =
      lost === undefined
        ? []
        : [terminal.theme.warn(neutral(`connection lost, trying again: ${lost}`))]
    view.draw([...notice, ...contentOf(migrations(), terminal, options)])
  }
  const timer = setInterval(draw, TICK)
  return {
    show(change) {
      if (change.step.type === 'lost') lost = change.step.message
      if (change.step.type === 'regained') lost = undefined
      if (change.step.type === 'listed' || migrations) migrations = change.migrations
      draw()
    },
    close() {
      clearInterval(timer)
      draw()
      view.close()
    },
  }
}

/** First what is there, then a line for each thing that happens. */
function lineView(terminal: Terminal, options: StatusViewOptions): StatusView {
  const view = createPlainView(terminal, options.now)
  let listed = false
  return {
    show({ step, observed, migrations }) {
      if (step.type === 'listed') {
        listed = true
        for (const line of contentOf(migrations(), terminal, options)) terminal.write(`${line}\n`)
      } else if (listed && step.type !== 'removed')
        view.show({ vm: nameOf(observed, options), step, observed })
    },
    close: () => view.close(),
  }
}

function documentView(terminal: Terminal, format: Format, { now }: StatusViewOptions): StatusView {
  return {
    async show({ step, observed }) {
      if (!observed || step.type === 'removed') return
      terminal.write(await formatDocument(reportOf(observed, now()), format, { stream: true }))
    },
    close() {},
  }
}

function contentOf(
  migrations: Observed[],
  terminal: Terminal,
  { single, now, ...table }: StatusViewOptions,
): string[] {
  const [first] = migrations
  if (!first) return [single ? 'it has no migration' : 'no migration in flight']
  return single
    ? timelineLines(first, terminal, now())
    : statusLines(migrations, terminal, now(), table)
}

/** With its namespace where several are watched. */
function nameOf(observed: Observed | undefined, { namespaces }: StatusViewOptions): string {
  if (!observed) return 'status'
  const { metadata, spec } = observed.migration
  return namespaces ? `${metadata.namespace}/${spec.vmiName}` : (spec.vmiName ?? '')
}
