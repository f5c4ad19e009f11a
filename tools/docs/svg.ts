import type { Frame } from './record.ts'
import type { Cell, Look } from './screen.ts'

export interface PictureOptions {
  columns: number
  /** What a screen reader says. */
  title: string
}

const CELL = { width: 8.4, height: 19 }
const MARGIN = { side: 16, top: 38, bottom: 14 }
/** ms that the last frame stays. */
const HOLD = 5000

/**
 * A terminal window as SVG: one frame is a still, several are an animation by CSS that runs wherever SVG does and needs
 * no script. What does not animate, and whoever asked for reduced motion, sees the last frame.
 */
export function picture(frames: Frame[], { columns, title }: PictureOptions): string {
  const end = frames.at(-1)!.at + HOLD
  const lines = Math.max(...frames.map(({ rows }) => rows.length))
  const width = Math.round(columns * CELL.width + 2 * MARGIN.side)
  const height = lines * CELL.height + MARGIN.top + MARGIN.bottom
  const stays = Array.from({ length: lines }, (_, row) => staysOf(frames, row, end)).flat()
  const spans = [...new Set(stays.map(spanOf))].filter(
    (span) => span !== spanOf({ from: 0, to: end }),
  )
  const texts = stays.map((stay) => {
    const index = spans.indexOf(spanOf(stay))
    const names = index < 0 ? '' : ` class="${stay.to === end ? 'l' : 'h'} s${index}"`
    return `<text y="${MARGIN.top + stay.row * CELL.height + 13}"${names}>${stay.markup}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${styleSheet()}${motion(spans, end)}</style>`,
    `<rect class="w" width="${width}" height="${height}" rx="8"/>`,
    ...[0, 1, 2].map((i) => `<circle class="o" cx="${20 + i * 18}" cy="18" r="5"/>`),
    ...texts,
    '</svg>\n',
  ].join('\n')
}

/** A text that stands on a row from one moment until another, in ms. */
interface Stay {
  row: number
  markup: string
  from: number
  to: number
}

function staysOf(frames: Frame[], row: number, end: number): Stay[] {
  const stays: Stay[] = []
  let before: Stay | undefined
  for (const { at, rows } of frames) {
    const markup = runsOf(rows[row] ?? [])
      .map(runText)
      .join('')
    if (before?.markup === markup) continue
    if (before) before.to = at
    before = { row, markup, from: at, to: end }
    stays.push(before)
  }
  return stays.filter(({ markup }) => markup !== '')
}

function spanOf({ from, to }: Pick<Stay, 'from' | 'to'>): string {
  return `${from}-${to}`
}

/** Each run is put at its column and stretched to its width, so that any monospaced font keeps the columns. */
function runText({ text, look, column }: Run): string {
  const x = figure(MARGIN.side + column * CELL.width)
  const length = figure([...text].length * CELL.width)
  const names = classesOf(look)
  return `<tspan x="${x}" textLength="${length}"${names ? ` class="${names}"` : ''}>${escaped(text)}</tspan>`
}

interface Run {
  text: string
  look: Look
  column: number
}

/** Cells of one look, side by side; blanks between them are only space. */
function runsOf(row: Cell[]): Run[] {
  const runs: Run[] = []
  let [gap, column] = [2, 0]
  for (const { text, look } of row) {
    const run = runs.at(-1)
    if (text === ' ') gap += 1
    else {
      if (run && gap < 2 && same(run.look, look)) run.text += ' '.repeat(gap) + text
      else runs.push({ text, look, column })
      gap = 0
    }
    column += 1
  }
  return runs
}

function same(a: Look, b: Look): boolean {
  return classesOf(a) === classesOf(b)
}

function classesOf({ color, bold, dim, italic }: Look): string {
  const names = [color !== undefined && `c${color % 8}`, bold && 'b', dim && 'd', italic && 'i']
  return names.filter(Boolean).join(' ')
}

const COLORS = [
  '#6e7681',
  '#ff7b72',
  '#7ee787',
  '#e3b341',
  '#79c0ff',
  '#d2a8ff',
  '#76d9e6',
  '#f0f6fc',
]

function styleSheet(): string {
  return [
    '.w{fill:#0d1117;stroke:#30363d}.o{fill:#30363d}',
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",Consolas,monospace;fill:#c9d1d9;white-space:pre}',
    '.b{font-weight:700;fill:#f0f6fc}.d{fill:#7d8590}.i{font-style:italic}',
    ...COLORS.map((color, i) => `.c${i}{fill:${color}}`),
  ].join('')
}

/** One animation for each span of time in which something is seen. */
function motion(spans: string[], end: number): string {
  if (spans.length === 0) return ''
  const percent = (at: number) => `${figure((100 * at) / end)}%`
  const rules = spans.map((span, i) => {
    const [from, to] = span.split('-').map(Number) as [number, number]
    const steps = [
      ...(from > 0 ? ['0%{visibility:hidden}'] : []),
      `${percent(from)}{visibility:visible}`,
      ...(to < end ? [`${percent(to)}{visibility:hidden}`] : []),
    ]
    return `@keyframes k${i}{${steps.join('')}}.s${i}{animation:k${i} ${figure(end / 1000)}s step-end infinite}`
  })
  return `.h{visibility:hidden}${rules.join('')}@media(prefers-reduced-motion:reduce){.h,.l{animation:none}}`
}

function figure(value: number): string {
  return String(Math.round(value * 100) / 100)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
