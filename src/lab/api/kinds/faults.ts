import type { FieldError } from '../status.ts'

/** What can be wrong with a field, in the words of k8s.io/apimachinery/pkg/util/validation/field. */

export function required(field: string): FieldError {
  return { field, reason: 'FieldValueRequired', message: 'Required value' }
}

export function invalid(field: string, value: unknown, why: string): FieldError {
  const message = `Invalid value: ${JSON.stringify(value)}: ${why}`
  return { field, reason: 'FieldValueInvalid', message }
}

export function duplicate(field: string, value: unknown): FieldError {
  const message = `Duplicate value: ${JSON.stringify(value)}`
  return { field, reason: 'FieldValueDuplicate', message }
}

export function notFound(field: string, value: string): FieldError {
  const message = `Not found: ${JSON.stringify(value)}`
  return { field, reason: 'FieldValueNotFound', message }
}

export function forbidden(field: string, why: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` }
}

export function unsupported(
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldError {
  const known = supported.map((one) => `"${one}"`).join(', ')
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${known}`
  return { field, reason: 'FieldValueNotSupported', message }
}

/** Nothing where there is no value, or it is one of these. */
export function oneOf(field: string, value: unknown, supported: readonly string[]): FieldError[] {
  if (value === undefined || value === '' || supported.includes(String(value))) return []
  return [unsupported(field, value, supported)]
}

/** Nothing where there is no value, or no fault in its form. */
export function wellFormed(
  field: string,
  value: string | undefined,
  faults: (text: string) => string[],
): FieldError[] {
  return value ? faults(value).map((why) => invalid(field, value, why)) : []
}

/** A name that must be there, well formed, and no second time among `seen`, which it joins. */
export function uniqueName(
  field: string,
  name: string | undefined,
  faults: (text: string) => string[],
  seen: Set<string>,
): FieldError[] {
  if (!name) return [required(field)]
  if (seen.has(name)) return [duplicate(field, name)]
  seen.add(name)
  return wellFormed(field, name, faults)
}
