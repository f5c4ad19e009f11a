import type { Operation } from 'fast-json-patch'
import { inOrderOfText, notesOfJson } from './text-notes.ts'

/** What a JSON patch has touched, as an object: `/data/x` is `{data: {x: …}}`. */
export function touchedBy(operations: readonly Operation[]): object {
  const root = nothing()
  for (const { path } of operations) {
    let at = root
    for (const name of path.split('/').slice(1)) at = at[name] ??= nothing()
  }
  return root
}

interface Touched {
  [name: string]: Touched
}

/** Without the members that every object inherits: a path may name them. */
function nothing(): Touched {
  return Object.create(null) as Touched
}

/**
 * The object as Kubernetes' patch library writes it: the members of what was touched by name, all else as it was.
 * @param touched of the same shape, as far as that goes
 */
export function sortedAlong(touched: object, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    members.map(([name, member]) => {
      const below = (touched as Record<string, unknown>)[name]
      const isTouched = typeof below === 'object' && below !== null && Object.keys(below).length > 0
      return [name, isTouched ? sortedAlong(below, member) : member]
    }),
  )
}

const OPERATION = ['op', 'path', 'from', 'value']

/** What strict decoding says of a JSON patch's operations. */
export function complaintsOf(text: string, operations: readonly object[]): string[] {
  const unknown = operations.flatMap((operation, index) =>
    Object.keys(operation)
      .filter((name) => !OPERATION.includes(name))
      .map((name) => `[${index}].${name}`),
  )
  return inOrderOfText(notesOfJson(text, operations), unknown).map((said) => `json patch ${said}`)
}
