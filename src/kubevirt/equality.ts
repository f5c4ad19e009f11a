/** Equal as API objects: what is absent, null or empty is the same, and keys have no order. */
export function sameValue(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b)
}

/** The one text of all that are equal in that sense. */
export function canonical(value: unknown): string {
  return JSON.stringify(normal(value)) ?? ''
}

function normal(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value ?? undefined
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((entry) => normal(entry) ?? null)
  const entries = Object.entries(value)
    .map(([key, entry]) => [key, normal(entry)] as const)
    .filter(([, entry]) => entry !== undefined)
    .sort(([x], [y]) => (x < y ? -1 : 1))
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}
