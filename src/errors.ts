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
  /** The document on stdout says it already. */
  documented?: boolean
}

/** The one error that commands throw: made where the meaning is known, worded and turned into an exit code in src/cli.ts. */
export class MigError extends Error {
  readonly exit: ExitCode
  readonly hint: string | undefined
  readonly code: string | undefined
  readonly documented: boolean

  constructor(exit: ExitCode, message: string, options: MigErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'MigError'
    this.exit = exit
    this.hint = options.hint
    this.code = options.code
    this.documented = options.documented ?? false
  }
}

/** Why the system did not read or write a file, in words; its own text would name the file once more. */
export function fileTrouble(err: unknown): string {
  const { code = '', message } = err as NodeJS.ErrnoException
  return FILE_TROUBLES[code] ?? message
}

const FILE_TROUBLES: Record<string, string> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file: part of its path is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'too many links',
  EMFILE: 'too many open files',
  ENOSPC: 'no space is left on the device',
  EROFS: 'the file system is read-only',
}
