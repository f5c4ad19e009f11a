import type { LineKinds } from '../evidence/log-scan.ts'
import type { Code } from './catalogue.ts'
import { KNOWN_TEXTS } from './known-texts.ts'

/**
 * What a known text is worth. `cause`: it names what is wrong. `echo`: it follows from an error on the other side or an
 * earlier one, and is never a verdict while a cause is known. `noise`: healthy clusters say it too. `fact`: neither good
 * nor bad, and read by the checks that need it.
 */
export type Worth = 'cause' | 'echo' | 'noise' | 'fact'

/** One row of what is known about the texts of KubeVirt, libvirt, QEMU and Kubernetes: data, no code. */
export interface KnownText {
  code: Code
  worth: Worth
  /** A part of the text that holds no variable and is spelled like this in all releases. */
  anchor: string
  /** Named groups can be quoted as `{name}` in the other fields. */
  pattern: RegExp
  title: string
  means: string
  next: string
  /** What makes the text count only here: a failure reason that is also an ordinary log line, say. */
  only?: 'log' | 'status'
  /** Whoever connects brings it about, a scanner or our own probe too: it need not be about the migration. */
  byAnyClient?: true
  /** It counts only for a text that no other row matches. */
  otherwise?: true
  /** The receiver's end says it whatever ended the stream: a cause only where nothing else is known to have. */
  follows?: true
}

export interface TextMatch {
  row: KnownText
  groups: Record<string, string>
}

/** All rows that a text matches, in the order of the table, where the more telling stand first. */
export function matchTexts(quoted: string, where: 'log' | 'status'): TextMatch[] {
  // A text that was quoted in another has its quotes escaped.
  const text = quoted.replace(/\\+(?=['"])/g, '')
  const matches: TextMatch[] = []
  for (const row of KNOWN_TEXTS) {
    if ((row.only && row.only !== where) || !text.includes(row.anchor)) continue
    if (row.otherwise && matches.length > 0) continue
    const match = row.pattern.exec(text)
    if (match) matches.push({ row, groups: defined(match.groups) })
  }
  // What healthy clusters say too proves nothing, whatever else is in the line.
  const noise = matches.filter(({ row }) => row.worth === 'noise')
  return noise.length > 0 ? noise : matches
}

/** A field of the row with its groups filled in. */
export function fill(template: string, groups: Record<string, string>): string {
  return template
    .replace(/\{(\w+)\}/g, (_, name: string) => groups[name] ?? '')
    .replace(/\s*\([\s:]*\)/g, '')
    .replace(/[\s:]+$/, '')
}

/** What the log reader needs to know of the table. */
export const lineKinds: LineKinds = {
  anchors: KNOWN_TEXTS.filter((row) => row.only !== 'status').map((row) => row.anchor),
  kindOf: ({ text }) => matchTexts(text, 'log')[0]?.row.anchor,
}

function defined(groups: Record<string, string | undefined> | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(groups ?? {}).filter((entry): entry is [string, string] => !!entry[1]),
  )
}
