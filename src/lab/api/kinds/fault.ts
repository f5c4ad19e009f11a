import { FAULT_TYPES, FAULTS } from '../../faults.ts'
import { type ApiObject, defineKind, type Kind } from '../kind.ts'
import type { FieldError } from '../status.ts'
import { pick, text } from './fields.ts'

/** The lab's own kind: what is broken in it, on purpose. */
export const FAULT: Kind = defineKind({
  ...FAULTS,
  builtIn: false,
  type: 'Fault',
  hasStatus: true,
  columns: [
    { name: 'Type', cell: 'spec.type' },
    {
      name: 'Broken On',
      cell: (object) => Object.keys((pick(object, 'status.nodes') as object) ?? {}).join(','),
      jsonPath: '.status.nodes',
    },
    { name: 'Age', type: 'date', cell: 'metadata.creationTimestamp' },
  ],
  validate: faultsOf,
})

function faultsOf(object: ApiObject): FieldError[] {
  const type = text(object, 'spec.type')
  if (type === '')
    return [{ field: 'spec.type', reason: 'FieldValueRequired', message: 'Required value' }]
  if (!Object.hasOwn(FAULT_TYPES, type)) {
    const known = Object.keys(FAULT_TYPES).map((one) => `"${one}"`)
    const message = `Unsupported value: "${type}": supported values: ${known.join(', ')}`
    return [{ field: 'spec.type', reason: 'FieldValueNotSupported', message }]
  }
  return []
}
