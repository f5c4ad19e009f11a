import { expect, test } from 'vitest'
import { neutral } from '../../src/terminal/neutral.ts'
import { formatDocument } from '../../src/terminal/output.ts'
import { table } from '../../src/terminal/table.ts'
import { padEnd, padStart, truncate, widthOf } from '../../src/terminal/width.ts'
import { pipe, screen } from './screen.ts'

test.each([
  ['plain text', 'plain text'],
  ['\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
  ['title\u001b]0;pwned\u0007', 'title\\x1b]0;pwned\\x07'],
  ['over\rwritten', 'over written'],
  ['two\n  lines\tand more', 'two lines and more'],
  ['c1 \u009b31m', 'c1 \\x9b31m'],
  ['re\u202eversed', 're\\u202eversed'],
  ['Grüße, 世界', 'Grüße, 世界'],
])('%j is shown as %j', (text, shown) => expect(neutral(text)).toBe(shown))

test('a document holds no active character either, and reads as the same value', async () => {
  const value = { message: 'a\u001b[2J\u009b2J\u202e\n"b"' }
  for (const format of ['json', 'yaml'] as const) {
    const text = await formatDocument(value, format)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    const { parse } = await import('yaml')
    expect(format === 'json' ? JSON.parse(text) : parse(text)).toEqual(value)
  }
})

test('one of many documents is a line of JSON, or YAML after a mark', async () => {
  const value = { a: 1, b: undefined, long: 'x '.repeat(100) }
  const json = await formatDocument(value, 'json', { stream: true })
  expect(json.split('\n')).toHaveLength(2)
  expect(await formatDocument({ a: 1 }, 'yaml', { stream: true })).toBe('---\na: 1\n')
  expect(await formatDocument(value, 'yaml')).not.toContain('undefined')
})

test.each([
  ['abc', 3],
  ['\u001b[31mabc\u001b[39m', 3],
  ['世界', 4],
  ['e\u0301', 1],
  ['✓ ok', 4],
  ['🚚', 2],
])('%j takes %d columns', (text, width) => expect(widthOf(text)).toBe(width))

test.each([
  ['short', 10, 'short'],
  ['exactly ten', 11, 'exactly ten'],
  ['a bit too long', 8, 'a bit t…'],
  ['cut at space', 5, 'cut…'],
  ['世界世界', 5, '世界…'],
  ['\u001b[31mred and long\u001b[39m', 6, '\u001b[31mred a…\u001b[39m'],
  ['any', 0, ''],
])('%j cut to %d is %j', (text, columns, cut) => expect(truncate(text, columns)).toBe(cut))

test('padding goes by what is seen', () => {
  expect(padEnd('世', 4)).toBe('世  ')
  expect(padStart('\u001b[31ma\u001b[39m', 3)).toBe('  \u001b[31ma\u001b[39m')
})

test('a table is as kubectl prints them, and a name from the cluster does not act', () => {
  const { terminal } = pipe()
  expect(
    table(
      ['VM', 'PHASE', 'NOW'],
      [
        ['vm-1', '', ''],
        ['a\u001b[2Jb', 'Running', 'x'.repeat(90)],
      ],
      terminal,
    ),
  ).toEqual([
    'VM          PHASE     NOW',
    'vm-1        <none>',
    `a\\x1b[2Jb   Running   ${'x'.repeat(90)}`,
  ])
})

test('a row is a line on a terminal, unless it must be whole: then its end goes on below itself', () => {
  const { terminal } = screen(20)
  const rows = [['vm-1', 'a long detail that ends']]
  expect(table(['VM', 'NOW'], rows, terminal)[1]).toBe('vm-1   a long detai…')
  expect(table(['VM', 'NOW'], rows, terminal, { whole: true }).slice(1)).toEqual([
    'vm-1   a long detail',
    '       that ends',
  ])
})
