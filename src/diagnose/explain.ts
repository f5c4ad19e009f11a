import { CATALOGUE, type Code, entryOf, isCode } from './catalogue.ts'
import { KNOWN_TEXTS } from './known-texts.ts'

export interface Explanation {
  code: Code
  group: string
  title: string
  means: string
  detected: string
  mend: string
  /** Texts by which it is told, as their writers spell them. */
  texts: string[]
}

/** The groups of design.md §4, by the first digit. */
const GROUPS = [
  'access and coverage',
  'admission and migratability',
  'policy and queue',
  'target pod, quota, storage',
  'hand-off and node preparation',
  'proxy, ports, sockets',
  'TLS',
  'network',
  'the copy itself',
  'what is left behind',
]

/** What a code means; undefined when there is none of that name. Case does not matter. */
export function explanation(name: string): Explanation | undefined {
  const code = name.toUpperCase()
  return isCode(code) ? explain(code) : undefined
}

export function explanations(): Explanation[] {
  return (Object.keys(CATALOGUE) as Code[]).sort().map(explain)
}

function explain(code: Code): Explanation {
  const { title, means, detected, mend } = entryOf(code)
  const texts = [
    ...new Set(
      KNOWN_TEXTS.filter((row) => row.code === code && row.worth !== 'noise').map(({ anchor }) =>
        anchor.trim(),
      ),
    ),
  ]
  return { code, group: GROUPS[Number(code[3])] ?? '', title, means, detected, mend, texts }
}
