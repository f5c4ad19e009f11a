import type { Ora } from 'ora'
import { neutral } from './neutral.ts'
import type { Terminal } from './terminal.ts'
import { padEnd, padStart, truncate } from './width.ts'

export interface CheckItem {
  label: string
  /** How long it took, or takes. */
  took?: string | undefined
  /** Made safe here; may carry colours when `styled`. */
  detail?: string | undefined
  styled?: boolean
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
  const text = () =>
    current ? truncate(checkText(current()), Math.max(1, terminal.columns() - INDENT - 3)) : ''
  const spinner: Ora = ora({
    stream: sized(terminal),
    isEnabled: true,
    // Colours and symbols are the theme's: ora's own ignore NO_COLOR.
    color: false,
    spinner: { frames: theme.symbols.spinner.map(theme.active), interval: FRAME_MS },
    indent: INDENT,
    // Keys stay with the terminal; Ctrl-C is handled by the command.
    discardStdin: false,
  })
  const stop = () => {
    clearInterval(timer)
    timer = undefined
    if (spinner.isSpinning) spinner.stop()
  }
  const start = () => {
    spinner.text = text()
    if (timer) return
    spinner.start()
    timer = setInterval(() => {
      spinner.text = text()
    }, FRAME_MS)
  }
  return {
    add(mark, item) {
      stop()
      const line = `${' '.repeat(INDENT)}${markOf(mark, terminal)} ${checkText(item)}`
      terminal.write(`${truncate(line, terminal.columns())}\n`)
      if (current) start()
    },
    follow(item) {
      current = item
      if (item) start()
      else stop()
    },
    close() {
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

/** `Scheduling        3.2s  target pod virt-launcher-vm-1-x on node-3` */
export function checkText({ label, took = '', detail = '', styled = false }: CheckItem): string {
  const text = styled ? detail : neutral(detail)
  return `${padEnd(neutral(label), LABEL_WIDTH)} ${padStart(took, TOOK_WIDTH)}  ${text}`.trimEnd()
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
