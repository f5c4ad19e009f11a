import type { IncomingMessage } from 'node:http'
import { EXIT, type ExitCode } from '../errors.ts'
import type { Resource } from '../kubevirt/resources.ts'
import { ApiError, type Status } from './api-error.ts'
import type { ApiRequest } from './cluster.ts'
import { cannot, certificateComplaint, describeUser, subjectOf } from './describe.ts'
import { describeDenial, grantFor, parseDenial } from './forbidden.ts'
import type { Target } from './target.ts'

interface Explanation {
  why: string
  exit: ExitCode
  hint?: string | undefined
}

/** An answer that is no success. `code` is the Status' reason, or HTTP502 and the like when there is no Status. */
export function answerError(
  target: Target,
  request: ApiRequest,
  response: IncomingMessage,
  text: string,
  now: number,
): ApiError {
  const status = response.statusCode!
  const body = parseStatus(text)
  const { why, exit, hint } = body
    ? explainStatus(target, request, status, body, now)
    : explainForeign(target, request, response, text, now)
  const retryAfter = Number(response.headers['retry-after'] ?? Number.NaN)
  return new ApiError(exit, `${cannot(request)}: ${why} (${target.server.url})`, {
    status,
    body,
    code: body?.reason || `HTTP${status}`,
    ...(hint && { hint }),
    ...(retryAfter >= 0 && { retryAfterMs: retryAfter * 1000 }),
  })
}

/** A success that is no JSON: not from a Kubernetes API, or cut off. */
export function notJson(
  target: Target,
  request: ApiRequest,
  response: IncomingMessage,
  length: number,
): ApiError {
  const type = mediaType(response)
  const why =
    type === 'application/json'
      ? `its JSON answer ends or breaks after ${length} characters`
      : `it answered with ${type} instead of JSON`
  return new ApiError(EXIT.error, `${cannot(request)}: ${why} (${target.server.url})`, {
    status: response.statusCode!,
    code: 'NOTJSON',
    hint: FOREIGN,
  })
}

/** The ERROR event of a watch, and what is no event at all. */
export function watchError(server: string, { plural }: Resource, body: Status): ApiError {
  return new ApiError(EXIT.error, `the watch of ${plural} ended: ${body.message} (${server})`, {
    status: body.code,
    body,
    code: body.reason || 'WATCH',
  })
}

const FOREIGN = 'is this address a Kubernetes API, or is a proxy or a login page in between?'

/** Kubernetes and KubeVirt word the reason themselves; their text is kept as it is. */
function explainStatus(
  target: Target,
  request: ApiRequest,
  status: number,
  body: Status,
  now: number,
): Explanation {
  const why = withCauses(body)
  if (/^admission webhook ".*" denied the request/.test(why)) return { why, exit: EXIT.notFound }
  const webhook = /failed calling webhook "(.*?)"/.exec(why)
  if (webhook)
    return { why, exit: EXIT.error, hint: `is the service behind webhook ${webhook[1]} running?` }
  switch (status) {
    case 401:
      return unauthorized(target, now)
    case 403:
      return forbidden(request, why)
    case 404:
      return notFound(request, body, why)
    case 409:
      if (body.reason === 'AlreadyExists') return { why, exit: EXIT.error }
      return { why, exit: EXIT.error, hint: 'somebody else changed it meanwhile: try again' }
    case 422:
      return { why, exit: EXIT.notFound }
    case 429:
      return { why, exit: EXIT.error, hint: 'the server is busy: try again later' }
    default:
      return { why, exit: EXIT.error }
  }
}

/** From something that is no Kubernetes API, or an API that answers in plain text. */
function explainForeign(
  target: Target,
  request: ApiRequest,
  response: IncomingMessage,
  text: string,
  now: number,
): Explanation {
  const status = response.statusCode!
  if (status === 401) return unauthorized(target, now)
  if (/HTTP request to an HTTPS server/.test(text)) {
    return {
      why: 'it speaks TLS, and the address says http',
      exit: EXIT.error,
      hint: 'the "server" of the kubeconfig must begin with https://',
    }
  }
  const subject = subjectOf(request)
  if (status === 404 && mediaType(response) === 'text/plain' && subject)
    return { ...noSuchResource(subject), exit: EXIT.notFound }
  const { location } = response.headers
  const why = location
    ? `it redirects to ${location} (HTTP ${status})`
    : `it answered HTTP ${status} ${response.statusMessage} with ${mediaType(response)}${quote(response, text)}`
  const exit = status === 403 ? EXIT.refused : status === 404 ? EXIT.notFound : EXIT.error
  return { why, exit, hint: FOREIGN }
}

function unauthorized(target: Target, now: number): Explanation {
  const { user } = target
  const nothing =
    !user.cert && !user.token && !user.tokenFile && !user.basic && !user.exec && !user.authProvider
  return {
    why: nothing
      ? `${describeUser(target)} has no credentials, and the server wants some`
      : `the server does not accept the credentials of ${describeUser(target)}`,
    exit: EXIT.refused,
    hint:
      certificateComplaint(target, now) ?? 'log in again, or choose another --context or --user',
  }
}

function forbidden({ method = 'GET' }: ApiRequest, why: string): Explanation {
  const denial = parseDenial(why)
  if (denial) return { why: describeDenial(denial), exit: EXIT.refused, hint: grantFor(denial) }
  // Quota, limits, pod security, a namespace that is being deleted: permitted, but not admitted.
  const admission = method !== 'GET' && !/User ".*" cannot /.test(why)
  return { why, exit: admission ? EXIT.notFound : EXIT.refused }
}

function notFound(request: ApiRequest, body: Status, why: string): Explanation {
  const subject = subjectOf(request)
  if (subject && !body.details?.name && /could not find the requested resource/.test(why))
    return { ...noSuchResource(subject), exit: EXIT.notFound }
  return { why, exit: EXIT.notFound }
}

function noSuchResource(subject: { group: string; version: string; resource: string }) {
  const { group, version, resource } = subject
  return {
    why: `the server knows no ${resource} of ${group ? `${group}/` : ''}${version}`,
    ...(group.endsWith('kubevirt.io') && { hint: 'is KubeVirt installed on this cluster?' }),
  }
}

/** The message names the causes as a rule; those it doesn't name are added. */
function withCauses(body: Status): string {
  const message = body.message || body.reason || 'it gave no reason'
  const missing = (body.details?.causes ?? [])
    .filter((cause) => cause.message && !message.includes(cause.message))
    .map((cause) => (cause.field ? `${cause.field}: ${cause.message}` : cause.message))
  return missing.length > 0 ? `${message}: ${missing.join('; ')}` : message
}

function parseStatus(text: string): Status | undefined {
  try {
    const parsed = JSON.parse(text)
    return parsed?.kind === 'Status' ? parsed : undefined
  } catch {
    return undefined
  }
}

function mediaType(response: IncomingMessage): string {
  return response.headers['content-type']?.split(';')[0]?.trim() || 'no content type'
}

/** The first words of a plain text; markup would say nothing. */
function quote(response: IncomingMessage, text: string): string {
  if (mediaType(response) !== 'text/plain') return ''
  const words = text.trim().split('\n')[0]!.slice(0, 120)
  return words ? `: ${words}` : ''
}
