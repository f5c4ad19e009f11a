import type { Quantity } from './types.ts'

/** How a quantity is written back: by powers of 1024, of 1000 with a letter, or of 1000 with an exponent. */
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent'

/** A quantity without rounding: Kubernetes keeps nothing smaller than a billionth, so that is the unit. */
export interface Amount {
  nano: bigint
  format: QuantityFormat
}

const NANO = 1_000_000_000n
/** Kubernetes caps what it reads at the largest 64-bit integer. */
const MAX = (2n ** 63n - 1n) * NANO

const DECIMAL_SUFFIXES: [string, number][] = [
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

/**
 * Reads a quantity as Kubernetes does ("360576Ki", "100m", "1.5Gi", "1e3", 5). Undefined when it is none.
 * What is finer than a billionth is rounded away from zero, what is larger than 2^63-1 is cut to it.
 */
export function parseQuantity(text: Quantity | null | undefined): Amount | undefined {
  if (text === undefined || text === null) return undefined
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/.exec(String(text).trim())
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', suffix = ''] = match
  if (whole === '' && fraction === '') return undefined
  const scale = scaleOf(suffix)
  if (!scale) return undefined

  const digits = BigInt(whole + fraction) * scale.factor * NANO
  const divisor = 10n ** BigInt(fraction.length) * scale.divisor
  const rounded = (digits + divisor - 1n) / divisor
  const nano = rounded > MAX ? MAX : rounded
  return { nano: sign === '-' ? -nano : nano, format: scale.format }
}

/** Kubernetes' canonical form: no needless fraction, the largest suffix that keeps the value whole. */
export function formatQuantity({ nano, format }: Amount): string {
  if (nano === 0n) return '0'
  const small = nano > -1024n * NANO && nano < 1024n * NANO
  if (format === 'BinarySI' && !small && nano % NANO === 0n) return formatBinary(nano / NANO)
  return formatDecimal(nano, format === 'DecimalExponent')
}

/** Text to text: what an API server gives back for what it was given; undefined when it is no quantity. */
export function canonicalQuantity(text: Quantity): string | undefined {
  const amount = parseQuantity(text)
  return amount && formatQuantity(amount)
}

export const ZERO: Amount = { nano: 0n, format: 'DecimalSI' }

/** As in Kubernetes, the sum is written like the first summand, unless that is zero. */
export function add(a: Amount, b: Amount): Amount {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format }
}

export function subtract(a: Amount, b: Amount): Amount {
  return { nano: a.nano - b.nano, format: a.nano === 0n ? b.format : a.format }
}

/** Negative, zero or positive, like the comparison of a sort. */
export function compare(a: Amount, b: Amount): number {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0
}

export function larger(a: Amount, b: Amount): Amount {
  return compare(a, b) >= 0 ? a : b
}

/** Whole units (bytes, cores), rounded up; exact up to 2^53. */
export function unitsOf(amount: Amount): number {
  const { nano } = amount
  return Number(nano > 0n ? (nano + NANO - 1n) / NANO : nano / NANO)
}

/** Thousandths (milli-CPUs), rounded up. */
export function milliOf({ nano }: Amount): number {
  const milli = NANO / 1000n
  return Number(nano > 0n ? (nano + milli - 1n) / milli : nano / milli)
}

/** A whole number of bytes, cores or pieces as an amount. */
export function amountOf(units: number | bigint, format: QuantityFormat = 'DecimalSI'): Amount {
  return { nano: BigInt(units) * NANO, format }
}

export function milliAmount(milli: number | bigint): Amount {
  return { nano: (BigInt(milli) * NANO) / 1000n, format: 'DecimalSI' }
}

interface Scale {
  factor: bigint
  divisor: bigint
  format: QuantityFormat
}

function scaleOf(suffix: string): Scale | undefined {
  const binary = BINARY_SUFFIXES.indexOf(suffix)
  if (binary > 0) return { factor: 1024n ** BigInt(binary), divisor: 1n, format: 'BinarySI' }
  const decimal = DECIMAL_SUFFIXES.find(([name]) => name === suffix)
  if (decimal) return powerOfTen(decimal[1], 'DecimalSI')
  const exponent = /^[eE]([-+]?\d+)$/.exec(suffix)
  // More digits than any value has: an exponent like 1e999999999 must not be worked out.
  if (exponent) return powerOfTen(clamp(Number(exponent[1]), 60), 'DecimalExponent')
  return undefined
}

function powerOfTen(exponent: number, format: QuantityFormat): Scale {
  const power = 10n ** BigInt(Math.abs(exponent))
  return exponent < 0
    ? { factor: 1n, divisor: power, format }
    : { factor: power, divisor: 1n, format }
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value))
}

function formatBinary(units: bigint): string {
  let rest = units
  let power = 0
  while (rest % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
    rest /= 1024n
    power++
  }
  return `${rest}${BINARY_SUFFIXES[power]}`
}

function formatDecimal(nano: bigint, exponential: boolean): string {
  let rest = nano
  let exponent = -9
  while (rest % 1000n === 0n && exponent < 18) {
    rest /= 1000n
    exponent += 3
  }
  if (exponential) return exponent === 0 ? `${rest}` : `${rest}e${exponent}`
  return `${rest}${DECIMAL_SUFFIXES.find(([, power]) => power === exponent)?.[0]}`
}
