import type { Terminal } from './terminal.ts'
import { rowsOf, truncate } from './width.ts'

export interface LiveView {
  /** Draws the view; called again on every change. Lines are cut to the window. */
  draw(lines: string[]): void
  /** Gives the terminal back; the last view stays, unless it is to be erased. Idempotent. */
  close(options?: { erase?: boolean }): void
}

const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'
const BEGIN = '\u001b[?2026h'
const END = '\u001b[?2026l'
const ERASE_BELOW = '\u001b[J'
const ERASE_LINE_END = '\u001b[K'

/**
 * A view that is drawn again in its place: below what stands on the terminal, in one synchronized write, so that nothing
 * flickers. The terminal is restored on close and when the process ends in any other way. Only for an interactive
 * terminal; the caller prints lines elsewhere.
 */
export function createLiveView(terminal: Terminal): LiveView {
  let drawn: string[] = []
  let latest: string[] = []
  let closed = false
  const draw = (lines: string[]) => {
    latest = lines
    if (closed) return
    const shown = fitted(lines, terminal)
    terminal.write(BEGIN + upTo(drawn, terminal.columns()) + bodyOf(shown) + END)
    drawn = shown
  }
  const redraw = () => draw(latest)
  const endResize = terminal.onResize(redraw)
  const restore = () => terminal.write(SHOW_CURSOR)
  process.once('exit', restore)
  terminal.write(HIDE_CURSOR)
  return {
    draw,
    close({ erase = false } = {}) {
      if (closed) return
      closed = true
      endResize()
      process.off('exit', restore)
      // What a Ctrl-C echoed stands below the view.
      const back = erase ? upTo(drawn, terminal.columns()) : '\r'
      terminal.write(`${back}${ERASE_BELOW}${SHOW_CURSOR}`)
    },
  }
}

/** Back to the first line of what was drawn; a window that became narrower has folded its lines. */
function upTo(drawn: string[], columns: number): string {
  const rows = rowsOf(drawn, columns)
  return rows === 0 ? '\r' : `\r\u001b[${rows}A`
}

function bodyOf(lines: string[]): string {
  return lines.map((line) => `${line}${ERASE_LINE_END}\n`).join('') + ERASE_BELOW
}

/** One row is left for the cursor. */
function fitted(lines: string[], { columns, rows, theme }: Terminal): string[] {
  const room = Math.max(2, rows() - 1)
  const shown =
    lines.length <= room
      ? lines
      : [...lines.slice(0, room - 1), theme.quiet(`… ${lines.length - room + 1} more`)]
  return shown.map((line) => truncate(line, columns()))
}
