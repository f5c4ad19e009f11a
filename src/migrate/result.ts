import { EXIT, type ExitCode, MigError } from '../errors.ts'
import type { MigrationReport } from './report.ts'

/** What came of one of the subjects that a command acts on. */
export interface Result {
  vm: string
  report: MigrationReport
  /** Why the exit code is not 0. */
  error: MigError | undefined
}

/** Several subjects: the first of these that is present (design.md §4); an interruption ended them all. */
const WORST: ExitCode[] = [
  EXIT.interrupted,
  EXIT.error,
  EXIT.refused,
  EXIT.notFound,
  EXIT.migrationFailed,
  EXIT.migrationCancelled,
  EXIT.timeout,
]

/**
 * The error of the whole command: a single subject's own, one line for several.
 * @param what such as `VMs were not moved`
 */
export function overallError(results: Result[], what: string): MigError | undefined {
  const failed = results.filter(({ error }) => error)
  const [one] = failed
  if (!one || results.length === 1) return one?.error
  const exit = WORST.find((code) => failed.some(({ error }) => error?.exit === code))
  const names = failed.map(({ vm }) => vm).join(', ')
  return new MigError(exit ?? EXIT.error, `${failed.length} of ${results.length} ${what}: ${names}`)
}

/** Of which the answer has told already: `-o json` prints one document. */
export function documented({ exit, message, hint, code, cause }: MigError): MigError {
  const told = { documented: true, ...(hint && { hint }), ...(code && { code }) }
  return new MigError(exit, message, { ...told, cause })
}
