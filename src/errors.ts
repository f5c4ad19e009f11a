/**
 * Exit codes of design.md §4, the same for every command and every `-o`.
 * Findings (3, 4) are no errors: commands set them with `process.exitCode`.
 */
export const EXIT = {
  ok: 0,
  error: 1,
  usage: 2,
  findingFail: 3,
  findingWarn: 4,
  timeout: 5,
  migrationFailed: 6,
  migrationCancelled: 7,
  refused: 8,
  notFound: 9,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export interface MigErrorOptions {
  /** What to do about it: one sentence or one command. */
  hint?: string
  cause?: unknown
  /** Machine-readable detail, for callers that decide by it (an HTTP status and reason, a TLS code …). */
  code?: string
}

/** The one error that commands throw: made where the meaning is known, worded and turned into an exit code in src/cli.ts. */
export class MigError extends Error {
  readonly exit: ExitCode
  readonly hint: string | undefined
  readonly code: string | undefined

  constructor(exit: ExitCode, message: string, options: MigErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'MigError'
    this.exit = exit
    this.hint = options.hint
    this.code = options.code
  }
}
