import { stripVTControlCharacters } from 'node:util'

/** How many columns a text takes: colours and combining marks none, East Asian wide characters and emoji two. */
export function widthOf(text: string): number {
  let width = 0
  for (const char of stripVTControlCharacters(text)) width += widthOfChar(char)
  return width
}

/** Cuts to `columns`, ending in "…" when something was cut. Colours end where they would have ended. */
export function truncate(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let room = columns - 1
  let kept = ''
  let full = false
  for (const part of text.split(COLOR)) {
    if (part.startsWith('\u001b')) {
      kept += part
      continue
    }
    for (const char of part) {
      room -= full ? 0 : widthOfChar(char)
      if (!full && room < 0) {
        kept = `${kept.replace(/ +$/, '')}${columns > 0 ? '…' : ''}`
        full = true
      }
      if (!full) kept += char
    }
  }
  return kept
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - widthOf(text))) + text
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
const COLOR = /(\u001b\[[\d;]*m)/

const ZERO = /[\p{Mn}\p{Me}\p{Cf}]/u
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

function widthOfChar(char: string): number {
  const code = char.codePointAt(0)!
  if (code < 0x300) return 1
  if (ZERO.test(char)) return 0
  return WIDE.test(char) ? 2 : 1
}

/** How many rows these lines take in a window of so many columns, which folds what is longer. */
export function rowsOf(lines: string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0)
}
