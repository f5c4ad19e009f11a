/**
 * The part of YAML that Kubernetes' tools write, an order of magnitude faster than a whole YAML parser: block mappings
 * and sequences, scalars on one line, literal blocks. It never guesses: whatever it does not know is left to the library.
 * @returns undefined where the text is something else (flow style, anchors, folded text, comments, or broken)
 */
export function parsePlainYaml(text: string): unknown {
  if (/[\t\r]|^(?:---|\.\.\.|%)/m.test(text)) return undefined
  const reader: Reader = { lines: text.split('\n'), at: 0 }
  try {
    const indent = indentHere(reader)
    if (indent < 0) return undefined
    const value = block(reader, indent)
    return indentHere(reader) < 0 ? value : undefined
  } catch (err) {
    if (err instanceof Unusual || err instanceof RangeError) return undefined
    throw err
  }
}

interface Reader {
  lines: string[]
  at: number
}

/** What only the library may decide. */
class Unusual extends Error {}

const SPACE = 32
const KEY = /^(?:([A-Za-z_][\w./-]*)|"([^"\\]*)"|'([^']*)'):(?: +(.*))?$/
const INDICATOR = /^(?:[&*!|>%@`{}[\],?:#"']|-(?: |$))/
const NUMBER = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
const OTHER_NUMBER = /^(?:0[ox]|[-+]?\.(?:inf|nan))/i

/** The indentation of the next line that is not blank, to which it goes; -1 at the end. */
function indentHere(reader: Reader): number {
  for (; reader.at < reader.lines.length; reader.at++) {
    const indent = indentOf(reader.lines[reader.at]!)
    if (indent >= 0) return indent
  }
  return -1
}

/** -1 for a blank line. */
function indentOf(line: string): number {
  let indent = 0
  while (line.charCodeAt(indent) === SPACE) indent++
  return indent === line.length ? -1 : indent
}

function block(reader: Reader, indent: number): unknown {
  return isItem(reader.lines[reader.at]!, indent)
    ? sequence(reader, indent)
    : mapping(reader, indent)
}

function isItem(line: string, indent: number): boolean {
  return line[indent] === '-' && (line[indent + 1] === ' ' || line.length === indent + 1)
}

function mapping(reader: Reader, indent: number): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (let here = indent; here === indent; here = indentHere(reader)) {
    const line = reader.lines[reader.at]!
    if (isItem(line, indent)) break
    const match = KEY.exec(line.slice(indent))
    if (!match) throw new Unusual()
    const key = match[1] ?? match[2] ?? match[3]!
    if (key === '__proto__') throw new Unusual()
    reader.at++
    found[key] = match[4] ? scalar(reader, match[4], indent) : nested(reader, indent, true)
  }
  return found
}

function sequence(reader: Reader, indent: number): unknown[] {
  const found: unknown[] = []
  for (let here = indent; here === indent; here = indentHere(reader)) {
    const line = reader.lines[reader.at]!
    if (!isItem(line, indent)) break
    const rest = line.slice(indent + 2)
    if (rest.startsWith(' ')) throw new Unusual()
    if (KEY.test(rest) || isItem(rest, 0)) {
      // What stands behind the dash begins a block of its own.
      reader.lines[reader.at] = `${' '.repeat(indent + 2)}${rest}`
      found.push(block(reader, indent + 2))
    } else {
      reader.at++
      found.push(rest === '' ? nested(reader, indent, false) : scalar(reader, rest, indent))
    }
  }
  return found
}

/** What is indented below a key or dash, or null; the items of a key may stand as far left as itself. */
function nested(reader: Reader, indent: number, ofKey: boolean): unknown {
  const here = indentHere(reader)
  if (here > indent) return block(reader, here)
  if (ofKey && here === indent && isItem(reader.lines[reader.at]!, indent))
    return sequence(reader, indent)
  return null
}

function scalar(reader: Reader, text: string, indent: number): unknown {
  if (text === '|' || text === '|-') return literal(reader, indent, text === '|')
  const value = onOneLine(text.trimEnd())
  if (indentHere(reader) > indent) throw new Unusual()
  return value
}

function onOneLine(text: string): unknown {
  if (text === '{}') return {}
  if (text === '[]') return []
  if (text.startsWith("'")) {
    if (!/^'(?:[^']|'')*'$/.test(text)) throw new Unusual()
    return text.slice(1, -1).replaceAll("''", "'")
  }
  if (text.startsWith('"')) return quoted(text)
  if (INDICATOR.test(text) || OTHER_NUMBER.test(text) || / #|: |:$/.test(text)) throw new Unusual()
  if (NUMBER.test(text)) return Number(text)
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  return /^(?:null|Null|NULL|~)$/.test(text) ? null : text
}

/** JSON's escapes mean the same in YAML; it has more of them. */
function quoted(text: string): string {
  if (/^"[^"\\]*"$/.test(text)) return text.slice(1, -1)
  try {
    return JSON.parse(text)
  } catch {
    throw new Unusual()
  }
}

/** A literal block: `|` ends with one line end, `|-` with none. */
function literal(reader: Reader, indent: number, clip: boolean): string {
  const from = reader.at
  const inner = indentHere(reader)
  if (inner <= indent || reader.at > from) throw new Unusual()
  const text: string[] = []
  let end = 0
  for (; reader.at < reader.lines.length; reader.at++) {
    const line = reader.lines[reader.at]!
    const here = indentOf(line)
    if (here >= 0 && here <= indent) break
    if (here >= 0 && here < inner) throw new Unusual()
    text.push(line.slice(inner))
    if (line.length > inner) end = text.length
  }
  return text.slice(0, end).join('\n') + (clip ? '\n' : '')
}
