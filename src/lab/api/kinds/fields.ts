import type { LabelSelector } from '../../../rules/label-selector.ts'
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

/** As Kubernetes writes a selector in one line. */
export function selectorText({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelector = {}): string {
  const words: Record<string, (key: string, values: string) => string> = {
    In: (key, values) => `${key} in (${values})`,
    NotIn: (key, values) => `${key} notin (${values})`,
    Exists: (key) => key,
    DoesNotExist: (key) => `!${key}`,
  }
  const parts = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) =>
      (words[operator] ?? words['Exists'])?.(key, values.join(',')),
    ),
  ]
  return parts.join(',') || '<none>'
}
