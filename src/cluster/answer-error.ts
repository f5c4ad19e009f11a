import type { IncomingMessage } from 'node:http'
import { EXIT, type ExitCode } from '../errors.ts'
import type { Resource } from '../kubevirt/resources.ts'
import { ApiError, type Status } from './api-error.ts'
import type { ApiRequest } from './cluster.ts'
import { describeRequest } from './describe-request.ts'

/** An answer of 300 or more. */
export function answerError(
  server: string,
  request: ApiRequest,
  response: IncomingMessage,
  text: string,
): ApiError {
  const status = response.statusCode!
  const body = parseStatus(text)
  const why = body?.message ?? `HTTP ${status} ${response.statusMessage}`
  const retryAfter = Number(response.headers['retry-after'])
  return new ApiError(
    exitOf(status, why),
    `cannot ${describeRequest(request)}: ${why} (${server})`,
    {
      status,
      body,
      code: body?.reason ?? `HTTP${status}`,
      ...(retryAfter >= 0 && { retryAfterMs: retryAfter * 1000 }),
    },
  )
}

/** An answer of 200 that is no JSON. */
export function notJson(
  server: string,
  request: ApiRequest,
  response: IncomingMessage,
  text: string,
): ApiError {
  const type = response.headers['content-type'] ?? 'no content type'
  return new ApiError(
    EXIT.error,
    `cannot ${describeRequest(request)}: ${server} answered with ${type} instead of JSON (${text.slice(0, 40)})`,
    {
      status: response.statusCode!,
      code: 'NOTJSON',
      hint: 'is a proxy or a login page in between?',
    },
  )
}

function exitOf(status: number, message: string): ExitCode {
  if (/^admission webhook ".*" denied the request/.test(message)) return EXIT.notFound
  if (status === 403) return EXIT.refused
  if (status === 404) return EXIT.notFound
  return EXIT.error
}

function parseStatus(text: string): Status | undefined {
  try {
    const parsed = JSON.parse(text)
    return parsed?.kind === 'Status' ? parsed : undefined
  } catch {
    return undefined
  }
}

/** The ERROR event of a watch. */
export function answerEventError(server: string, resource: Resource, body: Status): ApiError {
  return new ApiError(
    EXIT.error,
    `the watch of ${resource.plural} on ${server} ended: ${body.message}`,
    {
      status: body.code,
      body,
      code: body.reason ?? 'WATCH',
    },
  )
}
