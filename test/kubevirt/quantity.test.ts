import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  add,
  amountOf,
  canonicalQuantity,
  compare,
  formatQuantity,
  milliOf,
  parseQuantity,
  subtract,
  unitsOf,
} from '../../src/kubevirt/quantity.ts'

describe('a quantity is read and written as Kubernetes does', () => {
  test.each([
    ['360576Ki', 369_229_824, '360576Ki'],
    ['64Mi', 67_108_864, '64Mi'],
    ['1024Ki', 1_048_576, '1Mi'],
    ['1.5Gi', 1_610_612_736, '1536Mi'],
    ['1Ei', 2 ** 60, '1Ei'],
    ['512Ki', 524_288, '512Ki'],
    ['0.5Ki', 512, '512'],
    ['1.1Ki', 1127, '1126400m'],
    ['50M', 50_000_000, '50M'],
    ['1500M', 1_500_000_000, '1500M'],
    ['1000', 1000, '1k'],
    [404_229_824, 404_229_824, '404229824'],
    ['1e3', 1000, '1e3'],
    ['12E5', 1_200_000, '1200e3'],
    ['1e-3', 1, '1e-3'],
    ['1.5', 2, '1500m'],
    [0.1, 1, '100m'],
    ['+5', 5, '5'],
    ['.5', 1, '500m'],
    ['5.', 5, '5'],
    ['-1Mi', -1_048_576, '-1Mi'],
    ['0Mi', 0, '0'],
    ['1n', 1, '1n'],
    ['0.1n', 1, '1n'],
    ['9E', 9e18, '9E'],
  ])('%s', (text, units, canonical) => {
    const amount = parseQuantity(text)!
    expect(unitsOf(amount)).toBe(units)
    expect(formatQuantity(amount)).toBe(canonical)
  })

  test.each(['', ' ', 'Mi', '.', '1.2.3', '1 Mi', '1mi', '1KiB', '1e', '0x10', 'NaN', '--1'])(
    '%j is none',
    (text) => {
      expect(parseQuantity(text)).toBeUndefined()
    },
  )

  test('what is larger than 64 bits is cut, and quickly', () => {
    expect(canonicalQuantity('1e999999999')).toBe('9223372036854775807')
    expect(canonicalQuantity('100Ei')).toBe('9223372036854775807')
  })

  test('nothing is no quantity', () => {
    expect(parseQuantity(undefined)).toBeUndefined()
    expect(parseQuantity(null)).toBeUndefined()
  })
})

test('CPU is counted in thousandths, rounded up', () => {
  expect(milliOf(parseQuantity('100m')!)).toBe(100)
  expect(milliOf(parseQuantity('1.5')!)).toBe(1500)
  expect(milliOf(parseQuantity('100100u')!)).toBe(101)
})

test('a sum is written like its first summand that is not zero', () => {
  const memory = add(parseQuantity('360576Ki')!, parseQuantity('35M')!)
  expect(formatQuantity(memory)).toBe('404229824')
  expect(formatQuantity(add(parseQuantity('64Mi')!, parseQuantity('64Mi')!))).toBe('128Mi')
  expect(formatQuantity(add(amountOf(0), parseQuantity('64Mi')!))).toBe('64Mi')
})

const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-3')
const written = fc
  .tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.nat({ max: 999 }), suffix)
  .map(([whole, fraction, unit]) => `${whole}.${String(fraction).padStart(3, '0')}${unit}`)

test('the canonical form has the same value and is its own canonical form', () => {
  fc.assert(
    fc.property(written, (text) => {
      const amount = parseQuantity(text)!
      const canonical = formatQuantity(amount)
      expect(compare(parseQuantity(canonical)!, amount)).toBe(0)
      expect(canonicalQuantity(canonical)).toBe(canonical)
    }),
  )
})

test('adding and taking away again changes nothing', () => {
  fc.assert(
    fc.property(written, written, (left, right) => {
      const [a, b] = [parseQuantity(left)!, parseQuantity(right)!]
      expect(compare(subtract(add(a, b), b), a)).toBe(0)
      expect(compare(add(a, b), add(b, a))).toBe(0)
      expect(Math.sign(compare(a, b))).toBe(-Math.sign(compare(b, a)) + 0)
    }),
  )
})
