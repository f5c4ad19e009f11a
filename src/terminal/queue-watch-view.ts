import type { QueueReport } from '../migrate/queue.ts'
import type { QueueChange } from '../migrate/watch-queue.ts'
import { BACK, createLiveContent, lostText } from './live-content.ts'
import { neutral } from './neutral.ts'
import { type Format, formatDocument } from './output.ts'
import { aged, nothingQueuedText, queueLines, queueStepText } from './queue-view.ts'
import type { Terminal } from './terminal.ts'

export interface QueueViewOptions {
  format: Format | undefined
  /** Hears of the connection where the answer has no place for it. */
  warn(line: string): void
  now: () => number
}

/**
 * What `queue -w` shows, until the changes end: a live view on a terminal, a line for each change on a pipe, a document
 * for each with a format. The terminal is given back however it ends.
 */
export async function showQueueChanges(
  changes: AsyncIterable<QueueChange>,
  terminal: Terminal,
  options: QueueViewOptions,
): Promise<void> {
  const view = options.format
    ? documentView(terminal, options.format, options)
    : terminal.interactive
      ? liveView(terminal, options)
      : lineView(terminal)
  try {
    for await (const change of changes) await view.show(change)
  } finally {
    view.close()
  }
}

interface QueueView {
  show(change: QueueChange): Promise<void> | void
  close(): void
}

function liveView(terminal: Terminal, { now }: QueueViewOptions): QueueView {
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
function lineView(terminal: Terminal): QueueView {
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

function documentView(terminal: Terminal, format: Format, { warn }: QueueViewOptions): QueueView {
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
