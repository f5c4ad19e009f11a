import { describe, expect, test } from 'vitest'
import { type Cell, createScreen, textOf } from '../../tools/docs/screen.ts'
import { createSteady, steadyRow } from '../../tools/docs/steady.ts'
import { picture } from '../../tools/docs/svg.ts'

function shown(text: string, columns = 20): string[] {
  const screen = createScreen(columns)
  screen.write(text)
  return screen.rows().map(textOf)
}

describe('the screen', () => {
  test.each([
    ['lines', 'a\r\nb\r\n', ['a', 'b']],
    ['a line that is written over', 'one\rt', ['tne']],
    [
      'a view that is drawn again in its place',
      'a\r\nb\r\n\r\u001b[2Ac\u001b[K\r\n\u001b[J',
      ['c'],
    ],
    ['the rest of a line erased', 'abc\r\u001b[1C\u001b[K', ['a']],
    ['a line that is longer than the window', 'abcd', ['abc', 'd'], 3],
    ['modes, which show nothing', '\u001b[?25l\u001b[?2026hx\u001b[?2026l', ['x']],
  ])('shows %s', (_, text, rows, columns?: number) => {
    expect(shown(text, columns)).toEqual(rows)
  })

  test('reads a sequence that comes in pieces', () => {
    const screen = createScreen(20)
    for (const piece of ['a\u001b', '[3', '2mb']) screen.write(piece)
    expect(screen.rows()).toEqual([
      [
        { text: 'a', look: {} },
        { text: 'b', look: { color: 2 } },
      ],
    ])
  })

  test('keeps looks until they are taken back', () => {
    const screen = createScreen(20)
    screen.write('\u001b[1m\u001b[31ma\u001b[39mb\u001b[22mc')
    expect(screen.rows()[0]!.map(({ look }) => look)).toEqual([
      { bold: true, color: 1 },
      { bold: true },
      {},
    ])
  })

  test('fails on what it does not know, instead of showing less', () => {
    expect(() => shown('\u001b[3L')).toThrow('does not know the sequence')
    expect(() => shown(`\u001b]0;${'title '.repeat(9)}`)).toThrow('does not know the sequence')
    expect(() => shown('\u001b[45m')).toThrow('does not know the look 45')
  })
})

describe('what is made steady', () => {
  const steady = () => createSteady(Date.parse('2031-05-06T07:08:09.500Z'))

  test('times are counted from one beginning, in whole and in part', () => {
    expect(steady()('2031-05-06T07:08:10Z 2031-05-06T07:08:09.750Z 07:09:09Z')).toBe(
      '2026-03-02T09:30:01Z 2026-03-02T09:30:00.750Z 09:31:00Z',
    )
  })

  test('generated names and UIDs are the same in each run, and stay apart', () => {
    const text = (a: string, b: string) =>
      `kubectl-mig-${a} virt-launcher-vm-1-${b} kubectl-mig-${a}`
    const [one, other] = [steady()(text('x7k2p', 'abcde')), steady()(text('99999', 'zzzzz'))]
    expect(one).toBe(other)
    expect(new Set(one.split(' ')).size).toBe(2)
    const uid = 'f1184799-3165-4855-9575-a27cf78e1782'
    expect(steady()(uid)).not.toBe(uid)
    expect(steady()(uid)).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/)
  })

  test('a row keeps its width and its looks', () => {
    const row = cells('at 07:08:09Z', { bold: true })
    expect(steadyRow(row, steady())).toEqual(cells('at 09:30:00Z', { bold: true }))
  })
})

describe('a picture', () => {
  const options = { columns: 20, title: 'a < b' }

  test('of one frame stands still', () => {
    const svg = picture([{ at: 0, rows: [cells('x < y')] }], options)
    expect(svg).toContain('<title>a &lt; b</title>')
    expect(svg).toContain('>x &lt; y</tspan>')
    expect(svg).not.toContain('@keyframes')
  })

  test('of several shows the last one to whoever does not animate', () => {
    const svg = picture(
      [
        { at: 0, rows: [cells('same'), cells('first')] },
        { at: 1000, rows: [cells('same'), cells('last')] },
      ],
      options,
    )
    const classOf = (text: string) =>
      new RegExp(`<text y="\\d+"([^>]*)><tspan[^>]*>${text}<`).exec(svg)![1]
    expect(classOf('same')).toBe('')
    expect(classOf('first')).toMatch(/class="h /)
    expect(classOf('last')).toMatch(/class="l /)
    expect(svg).toContain('.h{visibility:hidden}')
  })

  test('puts words that stand apart at their columns', () => {
    const svg = picture([{ at: 0, rows: [cells('ab   c')] }], options)
    expect(svg).toContain('<tspan x="16" textLength="16.8">ab</tspan>')
    expect(svg).toContain('<tspan x="58" textLength="8.4">c</tspan>')
  })
})

function cells(text: string, look: Cell['look'] = {}): Cell[] {
  return [...text].map((one) => ({ text: one, look }))
}
