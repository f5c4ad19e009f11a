import { neutral } from './neutral.ts'
import type { Terminal } from './terminal.ts'
import type { Style } from './theme.ts'
import { padEnd, truncate, widthOf } from './width.ts'
import { wrap } from './wrap.ts'

/** Callers pass texts as they came from the cluster; they are made safe here. */
export type Cell =
  | string
  | {
      text: string
      style?: Style | undefined
      /** Stands before the text as it is: a bar in its colours. */
      before?: string
    }

const GAP = '   '

/**
 * A table as kubectl prints them: upper-case titles, three spaces between, no borders, `<none>` for what is empty (but
 * not in the last column). On a terminal a row is a line, cut at the edge; with `whole` its last cell goes on below itself
 * instead. Through a pipe nothing is cut.
 * @returns the lines, titles first
 */
export function table(
  titles: string[],
  rows: Cell[][],
  { theme, interactive, columns }: Pick<Terminal, 'theme' | 'columns' | 'interactive'>,
  { whole = false } = {},
): string[] {
  const last = titles.length - 1
  const styled = rows.map((row) =>
    titles.map((_, i) => {
      const { text, style, before = '' } = asObject(row[i])
      const shown = neutral(text) || (i === last ? '' : '<none>')
      return before + (style ? theme[style](shown) : shown)
    }),
  )
  const widths = titles.map((title, i) =>
    Math.max(widthOf(title), ...styled.map((row) => widthOf(row[i]!))),
  )
  const edge = interactive ? columns() : Infinity
  const indent = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0)
  return [titles, ...styled].flatMap((row) => {
    const before = row.slice(0, last).map((cell, i) => padEnd(cell, widths[i]!) + GAP)
    const line = (cell: string) => (before.join('') + cell).trimEnd()
    const end = row[last]!
    if (!whole) return truncate(line(end), edge)
    const [first = '', ...more] = wrap(end, Math.max(LEAST, edge - indent))
    return [line(first), ...more.map((text) => ' '.repeat(indent) + text)]
  })
}

/** Columns; narrower than that the window folds it. */
const LEAST = 16

function asObject(cell: Cell | undefined): Exclude<Cell, string> {
  return typeof cell === 'object' ? cell : { text: cell ?? '' }
}
