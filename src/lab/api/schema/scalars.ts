import type { Scalar } from './type-table.ts'

const QUANTITY = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/

/**
 * Why Go's decoder would not take the value; undefined when it does. `null` is the zero value of everything.
 * @param literal a number as it is written
 */
export function scalarFault(
  scalar: Scalar,
  value: unknown,
  literal = String(value),
): string | undefined {
  if (value === null) return undefined
  switch (scalar) {
    case 'any':
      return undefined
    case 'string':
      return typeof value === 'string' ? undefined : mismatch(value)
    case 'bytes':
      return typeof value === 'string' ? base64Fault(value) : mismatch(value)
    case 'bool':
      return typeof value === 'boolean' ? undefined : mismatch(value)
    case 'float64':
      return typeof value === 'number' ? undefined : mismatch(value)
    case 'quantity':
      return quantityFault(value)
    case 'time':
      return timeFault(value)
    case 'intorstring':
      return typeof value === 'string' || Number.isInteger(value) ? undefined : mismatch(value)
    default:
      if (typeof value !== 'number') return mismatch(value)
      return isWhole(literal) && isWithin(scalar, literal)
        ? undefined
        : `cannot unmarshal number ${literal}`
  }
}

/** Whether a number is written without fraction and exponent. */
function isWhole(literal: string): boolean {
  return /^-?\d+$/.test(literal)
}

/** Whether a whole number fits an integer type. */
export function isWithin(scalar: Scalar, literal: string): boolean {
  const bits = BigInt(/\d+$/.exec(scalar)?.[0] ?? 64)
  const number = BigInt(literal)
  if (scalar.startsWith('u')) return number >= 0n && number < 1n << bits
  return number >= -(1n << (bits - 1n)) && number < 1n << (bits - 1n)
}

function mismatch(value: unknown): string {
  return `cannot unmarshal ${jsonType(value)}`
}

/** A whole message of its own, where Go's type decodes itself. */
export function ownFault(scalar: Scalar, value: unknown): string | undefined {
  if (value === null) return undefined
  if (scalar === 'quantity') return quantityFault(value)
  if (scalar === 'bytes' && typeof value === 'string') return base64Fault(value)
  return scalar === 'time' ? timeFault(value) : undefined
}

/** As encoding/base64 counts the byte; line ends are passed over. */
function base64Fault(value: string): string | undefined {
  const text = value.replace(/[\r\n]/g, '')
  const strange = text.search(/[^A-Za-z0-9+/]/)
  const digits = strange < 0 ? text.length : strange
  const end = digits + (4 - (digits % 4))
  const padded = digits % 4 >= 2 ? '='.repeat(4 - (digits % 4)) : ''
  if (strange < 0 && digits % 4 === 0) return undefined
  if (padded !== '' && text.slice(digits) === padded) return undefined
  if (strange < 0) return illegalByte(digits - (digits % 4))
  if (padded === '' || text[digits] !== '=') return illegalByte(digits)
  if (text.length < end) return illegalByte(text.length)
  return illegalByte(text.slice(digits, end) === padded ? end : digits)
}

function illegalByte(at: number): string {
  return `illegal base64 data at input byte ${at}`
}

function quantityFault(value: unknown): string | undefined {
  if (typeof value === 'number') return undefined
  if (typeof value === 'string' && QUANTITY.test(value)) return undefined
  return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
}

function timeFault(value: unknown): string | undefined {
  if (typeof value !== 'string')
    return `json: cannot unmarshal ${jsonType(value)} into Go value of type string`
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)) return undefined
  const quoted = JSON.stringify(value)
  return `parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`
}

/** What JSON schema calls the type that a scalar must have; undefined where anything goes. */
export function schemaType(scalar: Scalar): string | undefined {
  if (scalar === 'any') return undefined
  if (scalar === 'bool') return 'boolean'
  if (scalar === 'float64') return 'number'
  if (scalar === 'intorstring' || scalar === 'quantity') return 'integer,string'
  return ['string', 'bytes', 'time'].includes(scalar) ? 'string' : 'integer'
}

/** As Go's decoder names what it met. */
export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
