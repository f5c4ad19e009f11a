import type { ApiObject } from '../kind.ts'

/** The value at a dotted path, undefined where the path ends early. */
export function pick(object: unknown, path: string): unknown {
  let value: unknown = object
  for (const field of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[field]
  }
  return value
}

/** As text; empty when absent. */
export function text(object: ApiObject, path: string): string {
  const value = pick(object, path)
  return value === undefined || value === null ? '' : String(value)
}
