import { labelKeyFaults, labelValueFaults, qualifiedNameFaults } from './formats.ts'
import type { ApiObject, Kind } from './kind.ts'
import type { FieldError } from './status.ts'

const MAX_ANNOTATIONS = 256 * 1024

/** What is wrong with names, labels, annotations and finalizers, by Kubernetes' rules and in its words. */
export function metadataFaults(kind: Kind, object: ApiObject): FieldError[] {
  const { metadata } = object
  const errors: FieldError[] = []
  const wrong = (field: string, value: unknown, why: string) =>
    errors.push({
      field,
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
    })

  for (const [field, text, form] of names(object))
    for (const fault of kind.nameFaults(form)) wrong(field, text, fault)
  for (const [key, value] of Object.entries(metadata.labels ?? {}).sort(byKey)) {
    for (const fault of labelKeyFaults(key)) wrong('metadata.labels', key, fault)
    for (const fault of labelValueFaults(value)) wrong('metadata.labels', value, fault)
  }
  for (const { apiVersion, kind, name, uid } of metadata.ownerReferences ?? []) {
    const empty = (field: string) =>
      wrong(`metadata.ownerReferences.${field}`, '', 'must not be empty')
    if (!apiVersion) wrong('metadata.ownerReferences.apiVersion', '', 'version must not be empty')
    if (!kind) empty('kind')
    if (!name) empty('name')
    if (!uid) empty('uid')
  }
  let size = 0
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
    for (const fault of qualifiedNameFaults(key.toLowerCase()))
      wrong('metadata.annotations', key, fault)
    size += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (size > MAX_ANNOTATIONS)
    errors.push({
      field: 'metadata.annotations',
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${MAX_ANNOTATIONS} bytes`,
    })
  for (const finalizer of metadata.finalizers ?? []) {
    for (const fault of qualifiedNameFaults(finalizer))
      wrong('metadata.finalizers', finalizer, fault)
  }
  for (const [index, finalizer] of (metadata.finalizers ?? []).entries())
    if (kind.builtIn && !finalizer.includes('/') && !STANDARD_FINALIZERS.includes(finalizer))
      wrong(
        `metadata.finalizers[${index}]`,
        finalizer,
        'name is neither a standard finalizer name nor is it fully qualified',
      )
  return errors
}

/** The name, and what it was made of; a dash at the end of that is fine, as more comes. */
function names({ metadata }: ApiObject): [field: string, text: string, form: string][] {
  const { name, generateName: prefix } = metadata
  const all: [string, string, string][] = [['metadata.name', name, name]]
  if (prefix) all.unshift(['metadata.generateName', prefix, prefix.replace(/(?<=.)-$/, 'a')])
  return all
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

const STANDARD_FINALIZERS = ['foregroundDeletion', 'kubernetes', 'orphan']

/** `labels: {}` and no labels are one: Kubernetes never keeps an empty map or list in metadata. */
export function dropEmptyMaps({ metadata }: ApiObject): void {
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    const value = metadata[field]
    if (value === null || (value !== undefined && Object.keys(value).length === 0))
      delete metadata[field]
  }
}
