import { type ExitCode, MigError, type MigErrorOptions } from '../errors.ts'

/** The object that a Kubernetes API answers instead of what was asked for. */
export interface Status {
  kind?: string
  apiVersion?: string
  status?: string
  message?: string
  reason?: string
  code?: number
  /** A 410 for an expired list brings a token to go on with here. */
  metadata?: { continue?: string }
  details?: {
    name?: string
    group?: string
    kind?: string
    uid?: string
    causes?: { reason?: string; message?: string; field?: string }[]
    retryAfterSeconds?: number
  }
}

export interface ApiErrorOptions extends MigErrorOptions {
  status?: number | undefined
  body?: Status | undefined
  retryAfterMs?: number
}

/** A request that failed. `code` is the Status' reason (`Forbidden`), or the network's or TLS's code (`ECONNREFUSED`, `TIMEOUT`). */
export class ApiError extends MigError {
  /** The HTTP status; undefined when no answer came. */
  readonly status: number | undefined
  readonly body: Status | undefined
  /** The server's Retry-After, in ms. */
  readonly retryAfterMs: number | undefined

  constructor(exit: ExitCode, message: string, options: ApiErrorOptions) {
    super(exit, message, options)
    this.name = 'ApiError'
    this.status = options.status
    this.body = options.body
    this.retryAfterMs = options.retryAfterMs
  }
}

/** Whether the API answered with this HTTP status. */
export function isStatus(err: unknown, status: number): boolean {
  return err instanceof ApiError && err.status === status
}

/** The Status object that came with the failure, if one came. */
export function statusOf(err: unknown): Status | undefined {
  return err instanceof ApiError ? err.body : undefined
}
