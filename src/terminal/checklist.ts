import type { Ora } from 'ora'
import { neutral } from './neutral.ts'
import { wideBar } from './progress.ts'
import type { Terminal } from './terminal.ts'
import { padEnd, padStart, rowsOf, truncate } from './width.ts'
import { wrap } from './wrap.ts'

export interface CheckItem {
  label: string
  /** How long it took, or takes. */
  took?: string | undefined
  /** Made safe here. */
  detail?: string | undefined
  /** How much of it is done, 0 to 1: a bar on a line of its own. */
  part?: number | undefined
}

export type Mark = 'done' | 'failed' | 'warning' | 'waiting'

export interface Checklist {
  /** Writes a finished line above what goes on. */
  add(mark: Mark, item: CheckItem): void
  /** What goes on now, drawn again with every frame of the spinner, so its times run. Undefined: nothing. */
  follow(item: (() => CheckItem) | undefined): void
  /** Gives the terminal back. Idempotent. */
  close(): void
}

/**
 * Work as a check list: a line for each thing that is done, a spinner on the one that goes on. ora draws the spinner
 * and is loaded only here. Only for an interactive terminal.
 */
export async function createChecklist(terminal: Terminal): Promise<Checklist> {
  const { default: ora } = await import('ora')
  const { theme } = terminal
  let current: (() => CheckItem) | undefined
  let timer: NodeJS.Timeout | undefined
  const text = () => (current ? activeText(current(), terminal) : '')
  const spinner: Ora = ora({
    stream: sized(terminal),
    isEnabled: true,
    // Colours and symbols are the theme's: ora's own ignore NO_COLOR.
    color: false,
    spinner: { frames: theme.symbols.spinner.map(theme.active), interval: FRAME_MS },
    // Not ora's own indent: it would leave the cursor there when it stops.
    prefixText: ' '.repeat(INDENT - 1),
    // Keys stay with the terminal; Ctrl-C is handled by the command.
    discardStdin: false,
  })
  // A window that becomes narrower folds what stands there; ora would leave the rows that this makes more.
  let columns = terminal.columns()
  const endResize = terminal.onResize(() => {
    const before = columns
    columns = terminal.columns()
    if (!spinner.isSpinning) return
    const lines = `${' '.repeat(INDENT + 2)}${spinner.text}`.split('\n')
    const more = rowsOf(lines, columns) - rowsOf(lines, before)
    if (more > 0) terminal.write('\r\u001b[2K\u001b[1A'.repeat(more))
  })
  const stop = () => {
    clearInterval(timer)
    timer = undefined
    if (spinner.isSpinning) spinner.stop()
  }
  const start = () => {
    spinner.text = text()
    if (timer) return
    // Before the spinner's own timer, so that each frame has the text of its moment.
    timer = setInterval(() => {
      spinner.text = text()
    }, FRAME_MS)
    spinner.start()
  }
  return {
    add(mark, item) {
      stop()
      for (const line of checkLines(mark, item, terminal)) terminal.write(`${line}\n`)
      if (current) start()
    },
    follow(item) {
      current = item
      if (item) start()
      else stop()
    },
    close() {
      endResize()
      current = undefined
      stop()
    },
  }
}

const INDENT = 2
const FRAME_MS = 80
/** As wide as the longest phase, PreparingTarget. */
const LABEL_WIDTH = 15
const TOOK_WIDTH = 6
/** How far behind the label's beginning details begin. */
export const DETAIL_OFFSET = LABEL_WIDTH + 1 + TOOK_WIDTH + 2
const DETAIL_AT = INDENT + 2 + DETAIL_OFFSET

/** `Scheduling        3.2s  target pod virt-launcher-vm-1-x on node-3` */
export function checkText({ label, took = '', detail = '' }: CheckItem): string {
  return `${padEnd(neutral(label), LABEL_WIDTH)} ${padStart(took, TOOK_WIDTH)}  ${neutral(detail)}`.trimEnd()
}

/** A finished line; a detail that is too long goes on below. */
function checkLines(mark: Mark, item: CheckItem, terminal: Terminal): string[] {
  const room = Math.max(20, terminal.columns() - DETAIL_AT)
  const [first = '', ...rest] = wrap(neutral(item.detail ?? ''), room)
  return [
    `${' '.repeat(INDENT)}${markOf(mark, terminal)} ${checkText({ ...item, detail: first })}`,
    ...rest.map((line) => `${' '.repeat(DETAIL_AT)}${line}`),
  ]
}

/** Behind the spinner. Cut, not broken: it is drawn again and again in its place. A Ctrl-C's echo fits behind it. */
function activeText(item: CheckItem, terminal: Terminal): string {
  const line = truncate(checkText(item), Math.max(1, terminal.columns() - INDENT - 5))
  if (item.part === undefined) return line
  return `${line}\n${' '.repeat(DETAIL_AT)}${wideBar(item.part, DETAIL_AT, terminal)}`
}

export function markOf(mark: Mark, { theme }: Pick<Terminal, 'theme'>): string {
  const { symbols } = theme
  if (mark === 'done') return theme.good(symbols.done)
  if (mark === 'failed') return theme.bad(symbols.failed)
  if (mark === 'warning') return theme.warn(symbols.warning)
  return theme.quiet(symbols.waiting)
}

/** ora divides by the stream's columns, which some terminals report as 0. */
function sized(terminal: Terminal): NodeJS.WritableStream {
  return Object.create(terminal.stream, { columns: { get: terminal.columns } })
}
