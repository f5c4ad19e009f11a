import type { QueueReport } from '../migrate/queue.ts'
import type { QueueChange } from '../migrate/watch-queue.ts'
import { BACK, createLiveContent, lostText } from './live-content.ts'
import { neutral } from './neutral.ts'
import { type Format, formatDocument } from './output.ts'
import { aged, nothingQueuedText, queueLines, queueStepText } from './queue-view.ts'
import type { Terminal } from './terminal.ts'
import { showWatch, type WatchView, type WatchViewOptions } from './watch-view.ts'

/**
 * What `queue -w` shows, until the changes end: a live view on a terminal, a line for each change on a pipe, a document
 * for each with a format. The terminal is given back however it ends.
 */
export async function showQueueChanges(
  changes: AsyncIterable<QueueChange>,
  terminal: Terminal,
  options: WatchViewOptions,
): Promise<void> {
  const view = options.format
    ? documentView(terminal, options.format, options)
    : terminal.interactive
      ? liveView(terminal, options)
      : lineView(terminal)
  await showWatch(changes, view)
}

function liveView(terminal: Terminal, { now }: WatchViewOptions): WatchView<QueueChange> {
  const view = createLiveContent(terminal)
  return {
    show(change) {
      if (change.type === 'lost') view.lost(change.message)
      else if (change.type === 'regained') view.lost(undefined)
      else view.show(() => contentOf(aged(change.queue, now()), terminal))
    },
    close: view.close,
  }
}

/** First what is there, then a line for each thing that happens. */
function lineView(terminal: Terminal): WatchView<QueueChange> {
  let first = true
  const say = (line: string) => terminal.write(`${neutral(line)}\n`)
  return {
    show(change) {
      if (change.type === 'lost') say(`queue: ${lostText(change.message)}`)
      else if (change.type === 'regained') say(`queue: ${BACK}`)
      else if (first)
        for (const line of contentOf(change.queue, terminal)) terminal.write(`${line}\n`)
      else for (const step of change.steps) say(queueStepText(step, change.queue))
      first &&= change.type !== 'read'
    },
    close() {},
  }
}

function documentView(
  terminal: Terminal,
  format: Format,
  { warn }: WatchViewOptions,
): WatchView<QueueChange> {
  return {
    async show(change) {
      if (change.type === 'lost') return warn(neutral(lostText(change.message)))
      if (change.type === 'regained') return warn(BACK)
      terminal.write(await formatDocument(change.queue, format, { stream: true }))
    },
    close() {},
  }
}

function contentOf(queue: QueueReport, terminal: Terminal): string[] {
  const nothing = queue.running.length + queue.waiting.length === 0
  return [
    ...queueLines(queue, terminal),
    ...(nothing ? ['', nothingQueuedText(queue.namespace)] : []),
  ]
}
