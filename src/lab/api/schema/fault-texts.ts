import type { Fault } from './decode.ts'
import { isWithin, jsonType, ownFault, scalarFault, schemaType } from './scalars.ts'
import { type FieldType, goType } from './type-table.ts'

/** What is said of a value of the wrong type: each way into the API has words of its own for it. */

/** By Go's JSON decoder. */
export function decoderText({ type, value, literal, struct, goPath }: Fault): string {
  const own = type.shape === 'scalar' ? ownFault(type.scalar, value) : undefined
  if (own !== undefined) return own
  const detail = type.shape === 'scalar' ? scalarFault(type.scalar, value, literal) : undefined
  const what = detail?.startsWith('cannot') ? detail : `cannot unmarshal ${jsonType(value)}`
  return `json: ${what} into Go struct field ${struct}.${goPath} of type ${goType(type)}`
}

/** By the converter that makes an object of what a strategic merge patch made (apimachinery's runtime/converter.go). */
export function conversionText({ type, value }: Fault): string {
  const from = goKind(value)
  switch (type.shape) {
    case 'map':
      return `cannot restore map from ${from}`
    case 'list':
      return `cannot restore slice from ${from}`
    case 'struct':
      return `cannot restore struct from: ${from}`
    case 'scalar': {
      if (type.scalar === 'bytes')
        return typeof value === 'string'
          ? `error decoding from json: ${ownFault(type.scalar, value)}`
          : `cannot restore slice from ${from}`
      const own = ownFault(type.scalar, value)
      if (own !== undefined) return own
      const to = goType(type)
      // Go would make a letter of a number, and a whole number of any: that is not meant.
      const isConvertible =
        (from === 'int64' && to === 'string') || (from.endsWith('64') && /^u?int/.test(to))
      return isConvertible ? `cannot convert ${from} to ${to}` : `unrecognized type: ${to}`
    }
  }
}

/** By server-side apply; begins with the field. */
export function applyText({ type, value, path }: Fault): string {
  return `.${path}: expected ${appliedType(type, value)}`
}

function appliedType(type: FieldType, value: unknown): string {
  if (type.shape === 'list') return `list, got &{${goText(value)}}`
  if (type.shape !== 'scalar') return `map, got &{${goText(value)}}`
  if (type.scalar === 'bool') return `boolean, got &{${goText(value)}}`
  if (type.scalar === 'string' || type.scalar === 'bytes')
    return `string, got &value.valueUnstructured{Value:${goSyntax(value)}}`
  return `numeric (int or float), got ${goKind(value)
    .replace(/^map$/, 'map[string]interface {}')
    .replace(/^slice$/, '[]interface {}')}`
}

interface SchemaError {
  field: string
  reason: string
  message: string
}

/** By the schema of a CustomResourceDefinition: numbers are looked at twice. */
export function schemaFaults(fault: Fault): SchemaError[] {
  const { type, value, literal = String(value), path: field } = fault
  const expected = expectedType(type)
  const actual = schemaJsonType(value)
  const wrongType = (what: string, of: string): SchemaError => ({
    field,
    reason: 'FieldValueTypeInvalid',
    message: `Invalid value: "${what}": ${field} in body must be of type ${of}: "${what}"`,
  })
  if (expected !== 'integer' || typeof value !== 'number') return [wrongType(actual, expected)]
  // 80.0 and 1e2 are whole, and a schema minds no spelling.
  const whole = Number.isInteger(value) ? BigInt(value).toString() : undefined
  const scalar = type.shape === 'scalar' ? type.scalar : 'int64'
  if (whole !== undefined && isWithin(scalar, whole)) return []
  const format = /(8|16|32)$/.test(scalar) ? 'int32' : 'int64'
  const isInteger = whole !== undefined && isWithin('int64', whole) && !/[.eE]/.test(literal)
  const unchecked: SchemaError = {
    field: '<nil>',
    reason: 'FieldValueInvalid',
    message: `Invalid value: "": Checked value must be of type integer with format ${format} in ${field}`,
  }
  return isInteger ? [unchecked] : [wrongType('float64', format), unchecked]
}

/** What JSON schema calls a type. */
export function expectedType(type: FieldType): string {
  if (type.shape === 'scalar') return schemaType(type.scalar) ?? 'any'
  return type.shape === 'list' ? 'array' : 'object'
}

function schemaJsonType(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return Array.isArray(value) ? 'array' : typeof value
}

function goKind(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  return Array.isArray(value) ? 'slice' : 'map'
}

/** As Go prints a value with `%v`: `map[a:1 b:[x y]]`. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (typeof value !== 'object') return String(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `map[${members.map(([name, member]) => `${name}:${goText(member)}`).join(' ')}]`
}

/** As Go prints it with `%#v`. */
function goSyntax(value: unknown): string {
  if (value === null) return 'interface {}(nil)'
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object') return String(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  const texts = members.map(([name, member]) => `${JSON.stringify(name)}:${goSyntax(member)}`)
  return `map[string]interface {}{${texts.join(', ')}}`
}
