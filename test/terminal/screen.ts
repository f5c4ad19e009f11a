import { Writable } from 'node:stream'
import { type Terminal, type TerminalOptions, terminalOf } from '../../src/terminal/terminal.ts'
import { widthOf } from '../../src/terminal/width.ts'

export interface Screen {
  terminal: Terminal
  /** All that was written, as it was. */
  raw(): string
  /** What stands on it now, without colours. */
  text(): string
  cursorVisible(): boolean
  /** As a window manager does it: lines fold anew, the cursor stays in its line. */
  resize(columns: number): void
}

/** A terminal of some size that understands what the views write: enough to see what a person sees. */
export function screen(columns = 80, rows = 24, options: TerminalOptions = {}): Screen {
  let raw = ''
  const stream = Object.assign(
    new Writable({
      write(chunk, _, done) {
        raw += chunk
        done()
      },
    }),
    {
      isTTY: true,
      columns,
      rows,
      cursorTo: (x: number) => write(`\u001b[${x + 1}G`),
      moveCursor: (_: number, dy: number) => write(dy < 0 ? `\u001b[${-dy}A` : ''),
      clearLine: () => write('\u001b[K'),
    },
  )
  const write = (text: string) => {
    if (text) stream.write(text)
    return true
  }
  return {
    terminal: terminalOf(stream, { env: { TERM: 'xterm' }, ...options }),
    raw: () => raw,
    text: () => drawn(raw).join('\n').trimEnd(),
    cursorVisible: () => raw.lastIndexOf('\u001b[?25h') > raw.lastIndexOf('\u001b[?25l'),
    resize(next) {
      // What stands there is folded at the new width.
      const lines = drawn(raw).flatMap((line) => folded(line, next))
      raw = lines.join('\n')
      stream.columns = next
      stream.emit('resize')
    },
  }
}

/** A pipe: plain text in, plain text out. */
export function pipe(options: TerminalOptions = {}): { terminal: Terminal; text(): string } {
  let text = ''
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  return { terminal: terminalOf(stream, { env: {}, ...options }), text: () => text }
}

function folded(line: string, columns: number): string[] {
  const lines: string[] = []
  for (let at = 0; at === 0 || at < line.length; at += columns)
    lines.push(line.slice(at, at + columns))
  return lines
}

/** Plays the escape sequences that the views use; an unknown one shows up as text. */
function drawn(raw: string): string[] {
  const lines: string[][] = [[]]
  let row = 0
  let column = 0
  for (const [token, code, command] of raw.matchAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it is about.
    /\u001b\[([?\d;]*)([A-Za-z])|[\s\S]/gu,
  )) {
    const count = Number(code) || 1
    if (command === 'm' || command === 'h' || command === 'l') continue
    if (command === 'A') row = Math.max(0, row - count)
    else if (command === 'G') column = count - 1
    else if (command === 'K') lines[row]!.length = Math.min(lines[row]!.length, column)
    else if (command === 'J') {
      lines[row]!.length = Math.min(lines[row]!.length, column)
      lines.length = row + 1
    } else if (token === '\n') {
      row++
      column = 0
      lines[row] ??= []
    } else if (token === '\r') column = 0
    else {
      const cells = lines[row]!
      while (cells.length < column) cells.push(' ')
      cells[column] = token
      column += Math.max(1, widthOf(token))
    }
  }
  return lines.map((cells) => cells.join('').trimEnd())
}
