import type { Scalar } from './type-table.ts'

const QUANTITY = /^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$/

/** Why Go's decoder would not take the value; undefined when it does. `null` is the zero value of everything. */
export function scalarFault(scalar: Scalar, value: unknown): string | undefined {
  if (value === null) return undefined
  switch (scalar) {
    case 'any':
      return undefined
    case 'string':
    case 'bytes':
      return typeof value === 'string' ? undefined : mismatch(value)
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
      return Number.isInteger(value) && !(scalar.startsWith('u') && value < 0)
        ? undefined
        : `cannot unmarshal number ${value}`
  }
}

function mismatch(value: unknown): string {
  return `cannot unmarshal ${jsonType(value)}`
}

/** A whole message of its own, where Go's type decodes itself. */
export function ownFault(scalar: Scalar, value: unknown): string | undefined {
  if (value === null) return undefined
  if (scalar === 'quantity') return quantityFault(value)
  return scalar === 'time' ? timeFault(value) : undefined
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
