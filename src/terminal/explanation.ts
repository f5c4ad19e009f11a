import type { Explanation } from '../diagnose/explain.ts'
import { table } from './table.ts'
import type { Terminal } from './terminal.ts'
import { wrap } from './wrap.ts'

type Out = Pick<Terminal, 'theme' | 'columns' | 'interactive'>

const LABELS: [string, keyof Pick<Explanation, 'means' | 'detected' | 'mend'>][] = [
  ['Means', 'means'],
  ['Told by', 'detected'],
  ['Mend', 'mend'],
]
const INDENT = 10

/** One code, with what it means, how it is detected and how to mend it. */
export function explanationText(explanation: Explanation, out: Out): string[] {
  const { theme } = out
  const edge = out.interactive ? Math.min(out.columns(), 120) - INDENT : Infinity
  const field = (label: string, text: string) =>
    wrap(text, edge).map((line, i) => `${(i === 0 ? label : '').padEnd(INDENT)}${line}`)
  return [
    theme.strong(`${explanation.code}  ${explanation.title}`),
    theme.quiet(explanation.group),
    '',
    ...LABELS.flatMap(([label, key]) => field(label, explanation[key])),
    ...(explanation.texts.length > 0
      ? ['', 'Texts', ...explanation.texts.flatMap((text) => `  ${text}`)]
      : []),
  ]
}

export function listText(explanations: readonly Explanation[], out: Out): string[] {
  return table(
    ['CODE', 'GROUP', 'TITLE'],
    explanations.map(({ code, group, title }) => [code, { text: group, style: 'quiet' }, title]),
    out,
  )
}
