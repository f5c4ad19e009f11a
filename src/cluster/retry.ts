import { ApiError } from './api-error.ts'

const ATTEMPTS = 5
/** ms before the first repetition of what the server gave no time for; doubled each time. */
const FIRST_WAIT = 100
const IDEMPOTENT = ['GET', 'PUT', 'DELETE']
const BROKEN_OFF = ['ECONNRESET', 'EPIPE']

/**
 * How long to wait before the request is sent again, in ms; undefined when it must not be. A server that says when
 * (Retry-After) has not acted on it, whatever the verb; a connection that broke off tells nothing.
 * @param attempt how often it has been sent
 */
export function retryDelay(err: unknown, method: string, attempt: number): number | undefined {
  if (!(err instanceof ApiError) || attempt >= ATTEMPTS) return undefined
  const { status = 0, code = '', retryAfterMs } = err
  if (retryAfterMs !== undefined && (status === 429 || status >= 500)) return retryAfterMs
  const again =
    (status === 503 && method === 'GET') ||
    (BROKEN_OFF.includes(code) && IDEMPOTENT.includes(method))
  return again ? FIRST_WAIT * 2 ** (attempt - 1) : undefined
}
