import { StatusError } from '../status.ts'
import { type FieldSet, readable } from './field-set.ts'
import type { Manager } from './managers.ts'

export interface Conflict {
  manager: Manager
  path: string
}

/** The fields that would change and belong to others. */
export function findConflicts(others: Manager[], changed: FieldSet): Conflict[] {
  return others.flatMap((manager) =>
    [...changed].filter((path) => manager.fields.has(path)).map((path) => ({ manager, path })),
  )
}

/** 409 with a cause a field, in the words of Kubernetes. */
export function conflictError(conflicts: Conflict[]): StatusError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${nameOf(manager)}`,
    field: readable(path),
  }))
  return new StatusError(409, 'Conflict', message(conflicts), { causes })
}

function message(conflicts: Conflict[]): string {
  const [first] = conflicts
  if (conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${nameOf(first!.manager)}: ${readable(first!.path)}`
  const byManager = Map.groupBy(conflicts, ({ manager }) => nameOf(manager))
  const lines = [...byManager]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, of]) => [
      `conflicts with ${name}:`,
      ...of.map(({ path }) => `- ${readable(path)}`),
    ])
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
}

/** `"kubectl-label" using v1` */
function nameOf({ manager, operation, apiVersion, subresource }: Manager): string {
  const at = subresource === '' ? '' : ` with subresource "${subresource}"`
  return `"${manager}"${at}${operation === 'Update' ? ` using ${apiVersion}` : ''}`
}
