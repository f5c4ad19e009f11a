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

/** What refuses all that failed in the same words, such as a permission that is lacking: it is told once. */
export function commonRefusal(results: Result[]): MigError | undefined {
  const errors = results.flatMap(({ error }) => error ?? [])
  const [first] = errors
  const isCommon = ({ exit, message }: MigError) =>
    exit === EXIT.refused && message === first?.message
  return errors.length > 1 && errors.every(isCommon) ? first : undefined
}

/**
 * The error of the whole command: a single subject's own or one that all have in common, else one line for several.
 * @param what such as `VMs were not moved`
 */
export function overallError(results: Result[], what: string): MigError | undefined {
  const failed = results.filter(({ error }) => error)
  const [one] = failed
  if (!one || results.length === 1) return one?.error
  const common = commonRefusal(results)
  if (common) return common
  const exit = WORST.find((code) => failed.some(({ error }) => error?.exit === code))
  const begun = failed.filter(({ report }) => report.outcome === 'running').length
  const message = [
    `${failed.length} of ${results.length} ${what}: ${namesOf(failed)}`,
    ...(begun > 0 ? [`${begun} of their migrations ${begun === 1 ? 'goes' : 'go'} on`] : []),
  ].join('; ')
  const interrupted = exit === EXIT.interrupted ? 'interrupted: ' : ''
  return new MigError(exit ?? EXIT.error, interrupted + message)
}

/** Of many, only the first few. */
function namesOf(results: Result[]): string {
  const names = results.slice(0, FEW).map(({ vm }) => vm)
  const more = results.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}

const FEW = 10

/** Of which the answer has told already: `-o json` prints one document. */
export function documented({ exit, message, hint, code, cause }: MigError): MigError {
  const told = { documented: true, ...(hint && { hint }), ...(code && { code }) }
  return new MigError(exit, message, { ...told, cause })
}
