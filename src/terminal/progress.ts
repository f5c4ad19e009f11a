import type { Terminal } from './terminal.ts'
import type { Theme } from './theme.ts'
import { formatPercent } from './units.ts'

/** `━━━━━━━───────` of the given width; `part` is 0 to 1. */
export function progressBar(
  part: number,
  width: number,
  { symbols, active, quiet }: Theme,
): string {
  const full = Math.floor(Math.min(1, Math.max(0, part)) * width)
  return active(symbols.barFull.repeat(full)) + quiet(symbols.barEmpty.repeat(width - full))
}

/** A bar with its percentage that fills what is left of the line. */
export function wideBar(part: number, indent: number, { columns, theme }: Terminal): string {
  const percent = formatPercent(part).padStart(4)
  const width = Math.min(60, columns() - indent - percent.length - 2)
  return width < 5 ? percent : `${progressBar(part, width, theme)} ${percent}`
}

/** When a line is due where nothing can be redrawn. */
export interface ProgressLines {
  /** True at every further N % and when nothing was said for a while. */
  due(part: number | undefined, now: number): boolean
}

const STEP = 0.1
const SILENCE_MS = 30_000

export function createProgressLines(): ProgressLines {
  let said = -1
  let at: number | undefined
  return {
    due(part, now) {
      const step = part === undefined ? 0 : Math.floor(part / STEP)
      const silent = at !== undefined && now - at >= SILENCE_MS
      if (step <= said && !silent) return false
      said = Math.max(said, step)
      at = now
      return true
    },
  }
}
