/** How a cell looks: what select-graphic-rendition codes say, as far as our output uses them. */
export interface Look {
  /** 0–7 are the normal, 8–15 the bright colours; undefined is the default. */
  color?: number
  bold?: boolean
  dim?: boolean
  italic?: boolean
}

export interface Cell {
  text: string
  look: Look
}

export interface Screen {
  /** Takes what a program wrote; may end in the middle of a sequence. */
  write(text: string): void
  /** What stands there now, as copies, without the empty rows at the end. */
  rows(): Cell[][]
}

/**
 * A terminal of a fixed width that grows downwards: the few control sequences that kubectl-mig and kubectl write, and
 * no others. A sequence that it does not know is an error, so that a picture never shows less than what was seen.
 */
export function createScreen(columns: number): Screen {
  const grid: Cell[][] = []
  let [row, column] = [0, 0]
  let look: Look = {}
  let pending = ''

  function put(text: string): void {
    if (column >= columns) [row, column] = [row + 1, 0]
    while (grid.length <= row) grid.push([])
    const line = grid[row]!
    while (line.length < column) line.push(blank())
    line[column++] = { text, look }
  }

  function control(final: string, parameters: string): void {
    const count = Number(parameters || 1)
    if (final === 'm') look = changed(look, parameters)
    else if (final === 'A') row = Math.max(0, row - count)
    else if (final === 'B') row += count
    else if (final === 'C') column = Math.min(columns - 1, column + count)
    else if (final === 'D') column = Math.max(0, Math.min(column, columns - 1) - count)
    else if (final === 'G') column = count - 1
    else if (final === 'K') erase(parameters)
    else if (final === 'J' && parameters === '') {
      erase('')
      grid.length = Math.min(grid.length, row + 1)
    } else if (!(parameters.startsWith('?') && /[hl]/.test(final)))
      throw new Error(`the screen does not know the sequence ESC [ ${parameters}${final}`)
  }

  function erase(what: string): void {
    const line = grid[row]
    if (!line) return
    if (what === '2') line.length = 0
    else if (what === '1') for (let i = 0; i <= column && i < line.length; i++) line[i] = blank()
    else line.length = Math.min(line.length, column)
  }

  function one(token: string): void {
    if (token === '\n') row += 1
    else if (token === '\r') column = 0
    else if (token === '\b') column = Math.max(0, column - 1)
    else if (token >= ' ') put(token)
  }

  return {
    write(text) {
      const all = pending + text
      let end = 0
      for (const match of all.matchAll(TOKEN)) {
        end = match.index + match[0].length
        const { parameters, final } = match.groups!
        if (final !== undefined) control(final, parameters!)
        else one(match[0])
      }
      pending = all.slice(end)
      if (pending.length > LONGEST)
        throw new Error(`the screen does not know the sequence ${JSON.stringify(pending)}`)
    },
    rows() {
      const rows = grid.map((line) => [...line])
      while (rows.length > 0 && textOf(rows.at(-1)!) === '') rows.pop()
      return rows
    },
  }
}

/** A row as text, without the blanks at its end. */
export function textOf(row: Cell[]): string {
  return row
    .map(({ text }) => text)
    .join('')
    .trimEnd()
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const TOKEN = /\x1b\[(?<parameters>[?\d;]*)(?<final>[A-Za-z])|[^\x1b]/guy

/** Characters of a sequence: what is longer will not become one. */
const LONGEST = 32

function blank(): Cell {
  return { text: ' ', look: {} }
}

function changed(before: Look, parameters: string): Look {
  let look = { ...before }
  for (const code of (parameters || '0').split(';').map(Number)) {
    if (code === 0) look = {}
    else if (code === 1) look.bold = true
    else if (code === 2) look.dim = true
    else if (code === 3) look.italic = true
    else if (code === 22) look = without(look, 'bold', 'dim')
    else if (code === 23) look = without(look, 'italic')
    else if (code === 39) look = without(look, 'color')
    else if (code >= 30 && code <= 37) look.color = code - 30
    else if (code >= 90 && code <= 97) look.color = code - 90 + 8
    else if (code !== 49) throw new Error(`the screen does not know the look ${code}`)
  }
  return look
}

function without(look: Look, ...keys: (keyof Look)[]): Look {
  return Object.fromEntries(Object.entries(look).filter(([key]) => !keys.includes(key as never)))
}
