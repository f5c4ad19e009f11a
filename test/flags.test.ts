import { expect, test } from 'vitest'
import { parseDuration, parseTimeLimit } from '../src/flags.ts'

test.each([
  ['5', 5000],
  ['0', 0],
  ['1.5', 1500],
  ['30s', 30_000],
  ['1m30s', 90_000],
  ['1h30m', 5_400_000],
  ['500ms', 500],
  ['0s', 0],
])('%s is a duration', (text, ms) => {
  expect(parseDuration(text, '--timeout')).toBe(ms)
})

test.each(['', 's', '5x', '-3', '1m 30s', '1m30', 'never'])('"%s" is none', (text) => {
  expect(() => parseDuration(text, '--timeout')).toThrow(`--timeout: "${text}" is no duration`)
})

test('what no timer can wait for is refused: it would fire at once', () => {
  expect(parseDuration('596h', '--grace')).toBe(596 * 3_600_000)
  expect(() => parseDuration('600h', '--grace')).toThrow(
    '--grace: "600h" is too long, 24 days are the most',
  )
})

test.each(['0', '0s', '0.0001'])('%s is no time limit', (text) => {
  expect(() => parseTimeLimit(text, '--dial-timeout')).toThrow('is no time to do anything in')
})
