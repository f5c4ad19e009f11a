import { EXIT } from '../errors.ts'
import { ApiError } from './api-error.ts'
import type { ApiRequest } from './cluster.ts'
import { describeRequest } from './describe-request.ts'

/** A request that got no answer, or only part of one. */
export function networkError(server: string, request: ApiRequest, cause: unknown): ApiError {
  const { code, message } = cause as NodeJS.ErrnoException
  return new ApiError(
    EXIT.error,
    `cannot ${describeRequest(request)}: ${server} is unreachable: ${message || code}`,
    { cause, ...(code && { code }) },
  )
}

export function timeLimitError(server: string, request: ApiRequest, ms: number): ApiError {
  return new ApiError(
    EXIT.error,
    `cannot ${describeRequest(request)}: no answer from ${server} within ${ms / 1000}s`,
    {
      code: 'TIMEOUT',
      hint: 'see whether the server is reachable; --request-timeout=1m waits longer',
    },
  )
}
