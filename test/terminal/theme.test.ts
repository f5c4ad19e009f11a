import { describe, expect, test } from 'vitest'
import { createTheme } from '../../src/terminal/theme.ts'
import { screen } from './screen.ts'

describe('colours', () => {
  test.each<[string, Parameters<typeof createTheme>[0], boolean]>([
    ['are there on a terminal', { isTTY: true, env: {} }, true],
    ['are not on a pipe', { isTTY: false, env: {} }, false],
    ['are off with --no-color', { isTTY: true, color: false, env: {} }, false],
    ['are off with NO_COLOR', { isTTY: true, env: { NO_COLOR: '1' } }, false],
    ['stay with an empty NO_COLOR', { isTTY: true, env: { NO_COLOR: '' } }, true],
    ['are off on a dumb terminal', { isTTY: true, env: { TERM: 'dumb' } }, false],
  ])('%s', (_, options, on) => {
    const theme = createTheme(options)
    expect(theme.color).toBe(on)
    expect(theme.good('x')).toBe(on ? '\u001b[32mx\u001b[39m' : 'x')
  })
})

test.each([
  [{}, '✓'],
  [{ LANG: 'de_DE.UTF-8' }, '✓'],
  [{ LANG: 'C' }, '+'],
  [{ LANG: 'C', LC_ALL: 'C.utf8' }, '✓'],
  [{ TERM: 'linux', LANG: 'C.UTF-8' }, '+'],
])('with %o done is %s', (env, symbol) => {
  expect(createTheme({ isTTY: true, env }).symbols.done).toBe(symbol)
})

test('a terminal that nobody has sized counts as 80 by 24', () => {
  const { terminal } = screen(0, 0)
  expect([terminal.columns(), terminal.rows()]).toEqual([80, 24])
})

test.each([
  [{ COLUMNS: '132', LINES: '50' }, [132, 50]],
  [{ COLUMNS: 'wide', LINES: '0' }, [80, 24]],
])('but its environment may know: %j', (env, size) => {
  const { terminal } = screen(0, 0, { env })
  expect([terminal.columns(), terminal.rows()]).toEqual(size)
})

test('what the terminal says goes before what the environment says', () => {
  expect(screen(100, 30, { env: { COLUMNS: '132' } }).terminal.columns()).toBe(100)
})

test('a dumb terminal is a terminal on which nothing is redrawn', () => {
  const { terminal } = screen(80, 24, { env: { TERM: 'dumb' } })
  expect(terminal.interactive).toBe(false)
})
