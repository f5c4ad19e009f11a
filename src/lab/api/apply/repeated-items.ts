import { type FieldType, fieldType } from '../schema/type-table.ts'
import { readable } from './field-set.ts'
import { itemElement } from './leaves.ts'

/** What server-side apply says of lists with two items of one key; each line begins with the field. */
export function repeatedItems(typeName: string | undefined, object: object): string[] {
  const lines: string[] = []
  const walk = (type: FieldType | undefined, value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value)) {
      for (const [field, item] of Object.entries(value))
        walk(fieldType(type, field), item, `${path}.${field}`)
      return
    }
    if (type?.shape !== 'list' || type.mergeKey === undefined) return
    const seen = new Set<string>()
    for (const item of value) {
      const element =
        type.mergeKey === '+' ? `v:${JSON.stringify(item)}` : itemElement(type.keys, item)
      if (seen.has(element)) lines.push(`${path}: duplicate entries for key ${readable(element)}`)
      seen.add(element)
      walk(type.of, item, `${path}${readable(element)}`)
    }
  }
  if (typeName !== undefined) walk({ shape: 'struct', name: typeName }, object, '')
  return lines
}
