import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileAnchors } from '../../src/evidence/anchors.ts'

function search(anchors: string[], text: string): number {
  const bytes = Buffer.from(text)
  return compileAnchors(anchors).search(bytes, 0, bytes.length)
}

test('it finds the end of the first anchor that ends', () => {
  expect(search(['lock', 'a lo'], 'get a lock now')).toBe('get a lo'.length)
  expect(search(['she', 'he', 'hers'], 'ushers')).toBe('ushe'.length)
  expect(search(['abc'], 'ababc')).toBe(5)
  expect(search(['abc'], 'ab')).toBe(-1)
})

test('an anchor of several bytes a character is found', () => {
  expect(search(['ü–ß'], 'x ü–ß')).toBe(Buffer.byteLength('x ü–ß'))
})

test('an empty anchor is refused, since it is everywhere', () => {
  expect(() => compileAnchors([''])).toThrow('empty')
})

test('it finds what looking for each anchor alone finds', () => {
  const word = fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b', 'c') })
  const text = fc.string({ maxLength: 40, unit: fc.constantFrom('a', 'b', 'c', '\n') })
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), text, (anchors, hay) => {
      const ends = anchors.flatMap((anchor) =>
        hay.includes(anchor) ? [hay.indexOf(anchor) + anchor.length] : [],
      )
      expect(search(anchors, hay)).toBe(ends.length > 0 ? Math.min(...ends) : -1)
    }),
  )
})
