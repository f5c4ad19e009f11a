import { type FieldSet, type FieldsV1, fromFieldsV1, sameSet, toFieldsV1 } from './field-set.ts'

/** Who owns which fields, and since when: one entry of `metadata.managedFields`. */
export interface Manager {
  manager: string
  operation: 'Apply' | 'Update'
  apiVersion: string
  /** RFC 3339. */
  time: string
  subresource: string
  fields: FieldSet
}

interface ManagedFieldsEntry {
  manager?: string
  operation?: 'Apply' | 'Update'
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: FieldsV1
  subresource?: string
}

export function readManagers(managedFields: unknown): Manager[] {
  if (!Array.isArray(managedFields)) return []
  return (managedFields as ManagedFieldsEntry[])
    .filter((entry) => entry.operation !== undefined && entry.fieldsV1 !== undefined)
    .map((entry) => ({
      manager: entry.manager ?? '',
      operation: entry.operation!,
      apiVersion: entry.apiVersion ?? '',
      time: entry.time ?? '',
      subresource: entry.subresource ?? '',
      fields: fromFieldsV1(entry.fieldsV1!),
    }))
}

/** Those who own nothing any more are left out; undefined when nobody owns anything. */
export function writeManagers(managers: Manager[]): ManagedFieldsEntry[] | undefined {
  const entries = managers
    .filter(({ fields }) => fields.size > 0)
    .sort(inOrder)
    .map(({ fields, subresource, manager, operation, apiVersion, time }) => ({
      manager,
      operation,
      apiVersion,
      ...(time === '' ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: toFieldsV1(fields),
      ...(subresource === '' ? {} : { subresource }),
    }))
  return entries.length > 0 ? entries : undefined
}

/** Who applied comes first, and whoever was there earlier. */
function inOrder(a: Manager, b: Manager): number {
  const compare = (of: (manager: Manager) => string) => (of(a) < of(b) ? -1 : Number(of(a) > of(b)))
  return (
    compare(({ operation }) => operation) ||
    compare(({ time }) => time) ||
    compare(({ manager }) => manager) ||
    compare(({ apiVersion }) => apiVersion) ||
    compare(({ subresource }) => subresource)
  )
}

export function isSameManager(a: Omit<Manager, 'fields' | 'time'>, b: Manager): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.subresource === b.subresource &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  )
}

/** The list with one manager's fields set anew; its time changes only when they do. */
export function withManager(managers: Manager[], next: Manager): Manager[] {
  const old = managers.find((manager) => isSameManager(next, manager))
  if (!old) return [...managers, next]
  const same = sameSet(old.fields, next.fields) && old.apiVersion === next.apiVersion
  return managers.map((manager) => (manager === old ? (same ? old : next) : manager))
}
