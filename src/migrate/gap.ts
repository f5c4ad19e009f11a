import { MigError } from '../errors.ts'

/** Something that could not be seen, and why: said once, never an error. */
export interface Gap {
  what: string
  why: string
}

/**
 * Not permitted, not there, not reachable: the answer goes on without it. An interruption, or a defect, is thrown.
 * @param signal what interrupts the reading
 */
export function toGap(what: string, err: unknown, signal?: AbortSignal): Gap {
  if (!(err instanceof MigError) || signal?.aborted) throw err
  return { what, why: err.message }
}
