import { ApiError } from './api-error.ts'

const ATTEMPTS = 5
const IDEMPOTENT = new Set(['GET', 'PUT', 'DELETE'])

/**
 * How long to wait before the request is sent again, in ms; undefined when it must not be.
 * A server that names a time (Retry-After) has not acted on the request, so any verb may be repeated.
 */
export function retryDelay(err: unknown, method: string, attempt: number): number | undefined {
  if (!(err instanceof ApiError) || attempt >= ATTEMPTS) return undefined
  if (err.retryAfterMs !== undefined && (err.status === 429 || err.status! >= 500))
    return err.retryAfterMs
  const again =
    (err.status === 503 && method === 'GET') ||
    (err.code === 'ECONNRESET' && IDEMPOTENT.has(method))
  return again ? 100 * 2 ** (attempt - 1) : undefined
}
