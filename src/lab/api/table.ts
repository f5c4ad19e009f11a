import { ageOf } from './human-duration.ts'
import type { ApiObject, Column, Kind } from './kind.ts'
import { pick } from './kinds/fields.ts'

interface TableColumn {
  name: string
  type: string
  format: string
  description: string
  priority: number
}

const NAME_COLUMN: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. It names the object in all requests and cannot be changed.',
  priority: 0,
}

export interface TableOptions {
  /** ms since the epoch. */
  now: number
  /** None, Metadata (default) or Object. */
  includeObject: string | null
  /** Only the first table of a watch tells its columns. */
  withoutColumns?: boolean
}

/** meta/v1 Table, as JSON: what `kubectl get` prints. */
export function tableText(
  kind: Kind,
  objects: ApiObject[],
  metadata: object,
  { now, includeObject, withoutColumns = false }: TableOptions,
): string {
  const rows = objects.map((object) => ({
    cells: cells(kind, object, now),
    object: includeObject === 'None' ? null : rowObject(object, includeObject),
  }))
  return JSON.stringify({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: withoutColumns ? null : columnDefinitions(kind),
    rows,
  })
}

function columnDefinitions(kind: Kind): TableColumn[] {
  const own = kind.columns.map((column) => ({
    name: column.name,
    type: column.type ?? 'string',
    format: column.format ?? '',
    description: column.description ?? '',
    priority: column.priority ?? 0,
  }))
  return kind.namelessTable ? own : [NAME_COLUMN, ...own]
}

function cells(kind: Kind, object: ApiObject, now: number): unknown[] {
  const own = kind.columns.map((column) => cell(column, object, now))
  return kind.namelessTable ? own : [object.metadata.name, ...own]
}

function cell(column: Column, object: ApiObject, now: number): unknown {
  if (typeof column.cell === 'function') return column.cell(object, now)
  const value = pick(object, column.cell)
  // The server itself turns dates into ages.
  if (column.type === 'date') return value === undefined ? null : ageOf(value, now)
  return value ?? null
}

function rowObject(object: ApiObject, includeObject: string | null): object {
  return includeObject === 'Object' ? object : partialObject(object)
}

/** meta/v1 PartialObjectMetadata: the object without all that is its kind's own. */
export function partialObject({ metadata }: ApiObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
}
