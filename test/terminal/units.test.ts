import { describe, expect, test } from 'vitest'
import {
  count,
  formatAge,
  formatBytes,
  formatDuration,
  formatMilliseconds,
  formatPercent,
  formatRange,
  formatRate,
  formatRateRange,
  formatTime,
} from '../../src/terminal/units.ts'

const KiB = 1024
const MiB = 1024 ** 2
const GiB = 1024 ** 3

describe('units', () => {
  test.each([
    [0, '0 B'],
    [-5, '0 B'],
    [512, '512 B'],
    [1023, '1023 B'],
    [KiB, '1 KiB'],
    [1.5 * GiB, '1.5 GiB'],
    [9.94 * MiB, '9.9 MiB'],
    [9.96 * MiB, '10 MiB'],
    [87.4 * MiB, '87 MiB'],
    [1023.6 * MiB, '1 GiB'],
    [1100 * GiB, '1.1 TiB'],
  ])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  test('a range of rates has its unit once where both have the same', () => {
    expect(formatRateRange(24 * MiB, 31 * MiB)).toBe('24–31 MiB/s')
    expect(formatRateRange(28 * MiB, 28 * MiB)).toBe('28 MiB/s')
    expect(formatRateRange(512, 2 * MiB)).toBe('512 B/s – 2 MiB/s')
  })
  test('a rate is bytes a second', () => expect(formatRate(28 * MiB)).toBe('28 MiB/s'))

  test.each([
    [0, '0s'],
    [449, '0.4s'],
    [1000, '1s'],
    [4250, '4.2s'],
    [9990, '9.9s'],
    [42_900, '42s'],
    [72_000, '1m12s'],
    [120_000, '2m'],
    [12_000_000, '3h20m'],
    [5 * 86_400_000 + 3 * 3_600_000, '5d3h'],
  ])('%d ms take %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  test('an age is in whole seconds', () => expect(formatAge(4990)).toBe('4s'))

  test.each([
    [0.42, '0.4 ms'],
    [41.4, '41 ms'],
    [1400, '1.4s'],
  ])('a downtime of %d is %s', (ms, text) => expect(formatMilliseconds(ms)).toBe(text))

  test.each([
    [20_000, 35_000, '20–35s'],
    [4200, 4900, '5s'],
    [45_000, 90_000, '45s–1m30s'],
    [20_000, undefined, 'over 20s'],
  ])('between %d and %d is %s', (min, max, text) => expect(formatRange(min, max)).toBe(text))

  test.each([
    [0.999, '99%'],
    [1, '100%'],
    [-1, '0%'],
  ])('%d is %s', (part, text) => expect(formatPercent(part)).toBe(text))

  test('a time is UTC, with its date when it is not of today', () => {
    const now = Date.parse('2026-11-29T12:00:00Z')
    expect(formatTime(now - 1000, now)).toBe('11:59:59Z')
    expect(formatTime(now - 86_400_000, now)).toBe('2026-11-28 12:00:00Z')
  })

  test('one is not many', () => {
    expect([count(1, 'round'), count(3, 'round'), count(2, 'entry', 'entries')]).toEqual([
      '1 round',
      '3 rounds',
      '2 entries',
    ])
  })
})
