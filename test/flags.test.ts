import { expect, test } from 'vitest'
import { parseDuration } from '../src/flags.ts'

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
