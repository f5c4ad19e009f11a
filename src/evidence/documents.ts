import { LineCounter, parseDocument } from 'yaml'
import type { Limits } from './limits.ts'
import { parsePlainYaml } from './plain-yaml.ts'

/**
 * A parsed document, or why there is none, with the line on which it begins or breaks; of an object that breaks off in
 * its status also what stands before.
 */
export type Parsed =
  | { value: unknown; line: number }
  | { error: string; line: number; value?: unknown }

/** Whether an object of a kind is of interest; the text is there for kinds of which few are. */
type Wanted = (kind: string, text?: string) => boolean

const LIST_ITEM = /^( *)- /
/** Larger YAML that only the library can parse takes too long; lists are parsed item by item and may be larger. */
const YAML_BYTES = 8 * 1024 ** 2

/**
 * The documents of a YAML or JSON text. Lists are taken apart before they are parsed, so that one broken item does
 * not cost the others.
 * @param wanted whether a kind is of interest; documents of other kinds are skipped unparsed where that is cheap
 * @param firstLine the line of the file on which the text begins
 */
export function* parseDocuments(raw: string, wanted: Wanted, firstLine = 1): Generator<Parsed> {
  // As Windows writes it; no line's number changes.
  const text = raw.includes('\r\n') ? raw.replaceAll('\r\n', '\n') : raw
  const start = text.search(/\S/)
  if (start < 0) return
  if (text[start] === '{' || text[start] === '[') {
    const parsed = parseJson(text)
    if (parsed) {
      for (const value of parsed) yield { value, line: firstLine }
      return
    }
  }
  const items = splitList(text)
  if (!items) {
    if (skippable(text, wanted)) return
    yield parseYaml(text, firstLine)
    return
  }
  yield { value: items.head, line: firstLine }
  for (const item of items.items) {
    if (skippable(item.text, wanted)) continue
    yield parseYaml(item.text, firstLine + item.line)
  }
}

const OBJECT = /^["'\s-]*(?:apiVersion|kind|items|metadata)["']?\s*:|"(?:metadata|items)"\s*:/m

/** Whether a document holds lines of a log, pasted behind objects, and nothing that an object has. */
export function isLogText(text: string): boolean {
  return /\S/.test(text) && !OBJECT.test(text)
}

/** One JSON value, or several one after the other (`kubectl get -w -o json`); undefined when it is not JSON. */
function parseJson(text: string): unknown[] | undefined {
  try {
    return [JSON.parse(text)]
  } catch {
    const parts = text.split(/(?<=^\}\s*$)\n(?=\s*\{)/m)
    if (parts.length < 2) return undefined
    try {
      return parts.map((part) => JSON.parse(part))
    } catch {
      return undefined
    }
  }
}

function parseYaml(text: string, firstLine: number): Parsed {
  const read = withoutManagedFields(text)
  const plain = parsePlainYaml(read)
  if (plain !== undefined) return { value: plain, line: firstLine }
  if (read.length > YAML_BYTES) return { error: 'document of more than 8 MiB', line: firstLine }
  const lines = new LineCounter()
  try {
    const document = parseDocument(read, {
      lineCounter: lines,
      uniqueKeys: false,
      logLevel: 'silent',
    })
    const broken = document.errors[0]
    if (broken) {
      const at = broken.linePos?.[0].line ?? 1
      const value = beforeBreak(read, at)
      return {
        ...(value !== undefined && { value }),
        error: broken.message.split('\n')[0]!.replace(/ at line \d+.*$/, ''),
        line: firstLine + at - 1,
      }
    }
    return { value: document.toJS({ maxAliasCount: 100 }), line: firstLine }
  } catch (err) {
    // Aliases that multiply, or nesting too deep for the stack.
    const error = err instanceof RangeError ? 'nested too deeply' : (err as Error).message
    return { error, line: firstLine }
  }
}

/** What a text that was cut off holds; without its status an object would tell that it has none. */
function beforeBreak(text: string, line: number): unknown {
  const value = parsePlainYaml(
    text
      .split('\n')
      .slice(0, line - 1)
      .join('\n'),
  )
  return typeof value === 'object' && value !== null && 'status' in value ? value : undefined
}

const MANAGED_FIELDS = /^( *)managedFields:[ \t]*\n(?:\1(?:- | {2,}).*\n)+/gm

/** Often half of an object, never of interest, and dropped anyway: emptied lines keep the numbers of the others. */
function withoutManagedFields(text: string): string {
  if (!text.includes('managedFields:')) return text
  return text.replace(MANAGED_FIELDS, (block) => '\n'.repeat(countLines(block)))
}

interface SplitList {
  /** The list without its items: its kind is that of items which don't say theirs. */
  head: unknown
  items: { text: string; line: number }[]
}

/** Takes a block-style list of objects apart by its indentation; undefined when the text is no such list. */
function splitList(text: string): SplitList | undefined {
  const lines = text.split('\n')
  const itemsLine = lines.findIndex((line) => /^items:[ \t]*\r?$/.test(line))
  if (itemsLine < 0) return undefined
  const indent = LIST_ITEM.exec(lines[itemsLine + 1] ?? '')?.[1]
  if (indent === undefined) return undefined

  const items: { text: string; line: number }[] = []
  let n = itemsLine + 1
  let begin = -1
  const close = () => {
    if (begin < 0) return
    const body = lines.slice(begin, n)
    body[0] = `${indent}  ${body[0]!.slice(indent.length + 2)}`
    items.push({ text: body.join('\n'), line: begin })
    begin = -1
  }
  for (; n < lines.length; n++) {
    const line = lines[n]!
    if (line.startsWith(`${indent}- `) || line === `${indent}-`) {
      close()
      begin = n
    } else if (line !== '' && !line.startsWith(`${indent} `) && !line.startsWith('#')) break
  }
  close()
  const rest = [...lines.slice(0, itemsLine), ...lines.slice(n)].join('\n')
  const head = parseYaml(rest, 1)
  return {
    head: 'value' in head ? { ...Object(head.value), items: [] } : { kind: 'List', items: [] },
    items,
  }
}

/** Whether a document says a kind that nobody wants: told from its text, so that it need not be parsed. */
function skippable(text: string, wanted: Wanted): boolean {
  const indent = /^ */.exec(text.slice(Math.max(0, text.search(/^ *\w/m))))?.[0] ?? ''
  const kind = new RegExp(`^${indent}kind:[ \\t]*["']?(\\w+)`, 'm').exec(text)?.[1]
  return kind !== undefined && !kind.endsWith('List') && !wanted(kind, text)
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Splits a stream of YAML at its `---` lines; what is longer than the limit comes without its text. */
export async function* splitDocuments(
  stream: AsyncIterable<Uint8Array>,
  limits: Pick<Limits, 'documentBytes'>,
): AsyncGenerator<{ text: string; line: number } | { tooLarge: true; line: number }> {
  const decoder = new TextDecoder()
  // Whole lines of the document so far, each looked at once; and the line that is not whole yet.
  let parts: string[] = []
  let size = 0
  let rest = ''
  let line = 1
  let dropped = false
  const separator = /^---(?:[ \t#][^\n]*)?\r?\n/m

  function take(text: string): boolean {
    parts.push(text)
    size += text.length
    if (size <= limits.documentBytes) return false
    line += parts.reduce((sum, part) => sum + countLines(part), 0)
    parts = []
    size = 0
    return true
  }

  for await (const chunk of stream) {
    const piece = decoder.decode(chunk, { stream: true })
    const end = piece.lastIndexOf('\n') + 1
    let lines = end > 0 ? rest + piece.slice(0, end) : ''
    rest = end > 0 ? piece.slice(end) : rest + piece
    for (let at = separator.exec(lines); at; at = separator.exec(lines)) {
      const begun = line
      if (take(lines.slice(0, at.index)) && !dropped) {
        yield { tooLarge: true, line: begun }
        dropped = true
      }
      const document = parts.join('')
      if (!dropped) yield { text: document, line }
      line += countLines(document) + 1
      parts = []
      size = 0
      dropped = false
      lines = lines.slice(at.index + at[0].length)
    }
    const begun = line
    const tooLong = rest.length > limits.documentBytes
    if (take(lines) || tooLong) {
      if (!dropped) yield { tooLarge: true, line: begun }
      dropped = true
      if (tooLong) rest = ''
    }
  }
  const document = parts.join('') + rest + decoder.decode()
  if (!dropped) yield { text: document.replace(/^\.\.\.[ \t]*$/m, ''), line }
}
