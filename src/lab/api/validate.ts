import type { ApiObject, Kind } from './kind.ts'
import { metadataFaults } from './metadata.ts'
import { invalid, StatusError } from './status.ts'

/** Refuses with 422 what no object of the kind may be; `old` is the state that it replaces, if any. */
export function validateObject(kind: Kind, object: ApiObject, old: ApiObject | undefined): void {
  const faults = [...metadataFaults(kind, object), ...(kind.validate?.(object, old) ?? [])]
  if (faults.length > 0) throw invalid(kind, object.metadata.name, faults)
}

/**
 * Every custom resource that has a type has a spec: webhooks rely on it, so it is looked for before they are asked. New
 * objects of KubeVirt's are refused by its own webhook.
 */
export function demandSpec(kind: Kind, object: ApiObject, isNew: boolean): void {
  if (kind.builtIn || kind.type === undefined || isObject(object['spec'])) return
  if (isNew && kind.schemaWebhook !== undefined) {
    const message = 'spec in body is required'
    throw new StatusError(
      422,
      'Invalid',
      `admission webhook "${kind.schemaWebhook}" denied the request: ${message}`,
      { causes: [{ message }] },
    )
  }
  throw invalid(kind, object.metadata.name ?? '', [
    { field: 'spec', reason: 'FieldValueRequired', message: 'Required value' },
  ])
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
