import type { ApiObject, Kind } from './kind.ts'
import type { FieldError } from './status.ts'

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/
const MAX_ANNOTATIONS = 256 * 1024

/** What is wrong with names, labels, annotations and finalizers, by Kubernetes' rules and in its words. */
export function metadataFaults(kind: Kind, { metadata }: ApiObject): FieldError[] {
  const errors: FieldError[] = []
  const wrong = (field: string, value: unknown, why: string) =>
    errors.push({
      field,
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
    })

  // RBAC names are path segments ("kubevirt.io:view"), all others DNS subdomains.
  if (kind.group === 'rbac.authorization.k8s.io') {
    if (/[/%]/.test(metadata.name)) wrong('metadata.name', metadata.name, "may not contain '/'")
  } else if (metadata.name.length > 253)
    wrong('metadata.name', metadata.name, 'must be no more than 253 bytes')
  else if (!SUBDOMAIN.test(metadata.name))
    wrong(
      'metadata.name',
      metadata.name,
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    )
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    const bad = qualifiedNameFault(key, 'a valid label key')
    if (bad) wrong('metadata.labels', key, bad)
    if (Buffer.byteLength(value) > 63)
      wrong('metadata.labels', value, 'must be no more than 63 bytes')
    else if (!LABEL_VALUE.test(value))
      wrong(
        'metadata.labels',
        value,
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      )
  }
  let size = 0
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
    const bad = qualifiedNameFault(key.toLowerCase())
    if (bad) wrong('metadata.annotations', key, bad)
    size += Buffer.byteLength(key) + Buffer.byteLength(value)
  }
  if (size > MAX_ANNOTATIONS)
    errors.push({
      field: 'metadata.annotations',
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${MAX_ANNOTATIONS} bytes`,
    })
  for (const finalizer of metadata.finalizers ?? []) {
    const bad = qualifiedNameFault(finalizer)
    if (bad) wrong('metadata.finalizers', finalizer, bad)
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

const STANDARD_FINALIZERS = ['foregroundDeletion', 'kubernetes', 'orphan']

function qualifiedNameFault(key: string, what = 'a qualified name'): string | undefined {
  const parts = key.split('/')
  const name = parts.at(-1)!
  if (parts.length > 2)
    return `${what} must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
  if (parts.length === 2 && parts[0] === '') return 'prefix part must be non-empty'
  if (parts.length === 2 && !SUBDOMAIN.test(parts[0]!))
    return "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
  if (name === '') return 'name part must be non-empty'
  if (name.length > 63) return 'name part must be no more than 63 bytes'
  if (!QUALIFIED.test(name))
    return "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
  return undefined
}

/** `labels: {}` and no labels are one: Kubernetes never keeps an empty map or list in metadata. */
export function dropEmptyMaps({ metadata }: ApiObject): void {
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    const value = metadata[field]
    if (value === null || (value !== undefined && Object.keys(value).length === 0))
      delete metadata[field]
  }
}
