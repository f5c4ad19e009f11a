import { compileAnchors } from './anchors.ts'
import type { LogOrigin } from './layout.ts'
import type { LogHit } from './log-hits.ts'
import { type LogLine, parseLogLine } from './log-line.ts'
import { redactText } from './redact.ts'

/** Which lines are worth keeping; the knowledge itself stands in diagnose/texts.ts. */
export interface LineKinds {
  /** Strings of which a line must hold at least one, case-sensitive. */
  anchors: readonly string[]
  /** What a line is about, for grouping like lines; undefined when it is not worth keeping. */
  kindOf(line: LogLine): string | undefined
}

export interface LogScanner {
  /** Reads a log to its end, a chunk at a time; a chunk's memory may be used again for the next. Returns the number of lines. */
  scan(stream: AsyncIterable<Uint8Array>, origin: LogOrigin, firstLine?: number): Promise<number>
}

const NEWLINE = 10
const TEXT_LIMIT = 2000
const EMPTY = Buffer.alloc(0)

export function createLogScanner(
  kinds: LineKinds,
  onHit: (hit: LogHit, kind: string) => void,
  lineBytes: number,
): LogScanner {
  const anchors = compileAnchors(kinds.anchors)

  /** Looks through whole lines; `line` is the number of the first. Returns how many lines there were. */
  function scanLines(bytes: Buffer, origin: LogOrigin, firstLine: number): number {
    let line = firstLine
    let counted = 0
    let from = 0
    while (from < bytes.length) {
      const hit = anchors.search(bytes, from, bytes.length)
      if (hit < 0) break
      const start = bytes.lastIndexOf(NEWLINE, hit - 1) + 1
      const found = bytes.indexOf(NEWLINE, hit - 1)
      const end = found < 0 ? bytes.length : found
      line += countLines(bytes, counted, start)
      counted = start
      keep(bytes.toString('utf8', start, end), origin, line)
      from = end + 1
    }
    return line + countLines(bytes, counted, bytes.length) - firstLine
  }

  function keep(raw: string, origin: LogOrigin, line: number): void {
    const parsed = parseLogLine(raw)
    const kind = kinds.kindOf(parsed)
    if (kind === undefined) return
    const text = redactText(parsed.text.slice(0, TEXT_LIMIT))
    const from = parsed.pod === undefined ? origin : sourced(origin, parsed)
    onHit({ ...parsed, text, origin: from, line, count: 1 }, kind)
  }

  return {
    async scan(stream, origin, firstLine = 1) {
      // The beginning of a line whose end is in the next chunk. Chunks are searched where they lie, not joined.
      let rest: Buffer = EMPTY
      let lines = 0
      for await (const chunk of stream) {
        const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
        const first = rest.length > 0 ? bytes.indexOf(NEWLINE) + 1 : 0
        const end = bytes.lastIndexOf(NEWLINE) + 1
        if (rest.length > 0 && (end > 0 || rest.length + bytes.length > lineBytes)) {
          const joined = Buffer.concat([rest, bytes.subarray(0, end > 0 ? first : 0)])
          lines += Math.max(end > 0 ? 1 : 0, scanLines(joined, origin, lines + firstLine))
          rest = EMPTY
        }
        if (end > first) lines += scanLines(bytes.subarray(first, end), origin, lines + firstLine)
        // What is left of the chunk is copied: its memory may be used again.
        if (end < bytes.length) rest = Buffer.concat([rest, bytes.subarray(end)])
      }
      if (rest.length > 0) lines += Math.max(1, scanLines(rest, origin, lines + firstLine))
      return lines
    },
  }
}

function sourced(origin: LogOrigin, { pod, container }: LogLine): LogOrigin {
  return { ...origin, ...(pod && { pod }), ...(container && { container }) }
}

function countLines(bytes: Buffer, from: number, to: number): number {
  let count = 0
  for (
    let at = bytes.indexOf(NEWLINE, from);
    at >= 0 && at < to;
    at = bytes.indexOf(NEWLINE, at + 1)
  )
    count++
  return count
}
