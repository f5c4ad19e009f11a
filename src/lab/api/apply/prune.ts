import type { ApiObject } from '../kind.ts'
import { elementsOf, type FieldSet } from './field-set.ts'

type Container = Record<string, unknown> | unknown[]

/**
 * The object without these fields, and what they are made of; what becomes empty by it goes too. Changes and returns its
 * argument.
 */
export function prune(object: ApiObject, paths: FieldSet): ApiObject {
  // The deepest first: a key goes with its item only.
  const ordered = [...paths]
    .map(elementsOf)
    .filter((elements) => !isKey(elements))
    .sort((a, b) => b.length - a.length)
  for (const elements of ordered) removeAt(object, elements)
  return object
}

function isKey(elements: string[]): boolean {
  const [item, field] = elements.slice(-2)
  if (!item?.startsWith('k:') || !field?.startsWith('f:')) return false
  return field.slice(2) in (JSON.parse(item.slice(2)) as object)
}

function removeAt(container: Container, [element, ...rest]: string[]): void {
  const index = positionOf(container, element!)
  if (index === undefined) return
  const value = (container as Record<string | number, unknown>)[index]
  const isContainer = typeof value === 'object' && value !== null
  if (rest.length > 0) {
    if (!isContainer) return
    removeAt(value as Container, rest)
    if (Object.keys(value).length > 0) return
  }
  if (Array.isArray(container)) container.splice(index as number, 1)
  else delete container[index]
}

function positionOf(container: Container, element: string): string | number | undefined {
  const value = element.slice(2)
  if (element.startsWith('f:'))
    return !Array.isArray(container) && value in container ? value : undefined
  if (!Array.isArray(container)) return undefined
  const key = JSON.parse(value)
  const index = element.startsWith('v:')
    ? container.indexOf(key)
    : container.findIndex((item) => matches(item, key))
  return index < 0 ? undefined : index
}

function matches(item: unknown, key: Record<string, unknown>): boolean {
  if (typeof item !== 'object' || item === null) return false
  return Object.entries(key).every(
    ([name, value]) => (item as Record<string, unknown>)[name] === value,
  )
}
