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

/** When a line of progress is due where nothing can be redrawn: at every further 10 %. */
export interface ProgressLines {
  due(part: number | undefined): boolean
}

const STEP = 0.1

export function createProgressLines(): ProgressLines {
  let said = -1
  return {
    due(part = 0) {
      const step = Math.floor(part / STEP)
      if (step <= said) return false
      said = step
      return true
    },
  }
}
