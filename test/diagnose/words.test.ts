import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { age, exactBytes, exactSeconds, listing, shell, short } from '../../src/diagnose/words.ts'

test('amounts and times are exact, and in people’s units', () => {
  expect(exactBytes(682368384)).toBe('682368384 bytes (650.8 MiB)')
  expect(exactBytes(12)).toBe('12 bytes')
  expect(exactSeconds(300)).toBe('300 s (5 min)')
  expect(exactSeconds(181)).toBe('181 s')
  expect([age(4000), age(120_000), age(7_260_000), age(90_000_000)]).toEqual([
    '4s',
    '2m',
    '2h1m',
    '1d1h',
  ])
  expect([
    listing([]),
    listing(['a', 'a']),
    listing(['a', 'b', 'c']),
    listing(['a', 'b', 'c', 'd', 'e']),
  ]).toEqual(['none', 'a', 'a, b and c', 'a, b, c and 2 more'])
  expect(short('a\n  b', 10)).toBe('a b')
  expect(short('abcdef', 4)).toBe('abc…')
})

test('no name from the evidence becomes a command of its own', () => {
  expect(shell`kubectl -n ${'demo'} get pod ${'a-1.b'}`).toBe('kubectl -n demo get pod a-1.b')
  expect(shell`kubectl get pod ${"x'; rm -rf ~ #"}`).toBe("kubectl get pod 'x'\\''; rm -rf ~ #'")
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 12 }), (name) => {
      fc.pre(name !== '')
      expect(execFileSync('sh', ['-c', shell`printf %s ${name}`], { encoding: 'utf8' })).toBe(name)
    }),
    { numRuns: 40 },
  )
})
