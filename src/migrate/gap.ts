import { isStatus } from '../cluster/api-error.ts'
import { MigError } from '../errors.ts'

/** Something that could not be seen, and why: said once, never an error. */
export interface Gap {
  what: string
  why: string
}

/** Not permitted, not there, not reachable: the answer goes on without it. Anything else is a defect and is thrown. */
export function toGap(what: string, err: unknown): Gap {
  if (err instanceof MigError) return { what, why: err.message }
  throw err
}

export function isForbidden(err: unknown): boolean {
  return isStatus(err, 403) || isStatus(err, 401)
}
