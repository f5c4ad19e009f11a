import type { ServerResponse } from 'node:http'
import { stringify } from 'yaml'
import type { ResponseFormat } from './negotiate.ts'
import { internalError, StatusError } from './status.ts'

const JSON_FORMAT: ResponseFormat = { mediaType: 'application/json', as: undefined }

/** Sends a whole JSON text (as YAML, where that was asked for). */
export function reply(
  response: ServerResponse,
  code: number,
  json: string,
  { mediaType }: Pick<ResponseFormat, 'mediaType'> = JSON_FORMAT,
): void {
  if (response.headersSent || response.destroyed) return
  // As Go's encoder ends what it writes.
  const text = mediaType === 'application/yaml' ? stringify(JSON.parse(json)) : `${json}\n`
  response.writeHead(code, {
    'content-type': mediaType,
    'cache-control': 'no-cache, private',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

/** Whatever was thrown, as a Status: what is no refusal of ours is a fault of the server. */
export function replyError(response: ServerResponse, err: unknown): void {
  const { status } = asStatusError(err)
  if (status.details?.retryAfterSeconds !== undefined && !response.headersSent)
    response.setHeader('retry-after', status.details.retryAfterSeconds)
  reply(response, status.code ?? 500, JSON.stringify(status))
}

export function asStatusError(err: unknown): StatusError {
  if (err instanceof StatusError) return err
  return internalError(err instanceof Error ? err.message : String(err))
}

/** `Warning: 299 - "…"`, which kubectl prints on stderr. */
export function addWarning(response: ServerResponse, message: string): void {
  if (response.headersSent) return
  const quoted = message.replaceAll(/[\\"]/g, '\\$&').replaceAll(/[\r\n]+/g, ' ')
  response.appendHeader('warning', `299 - "${quoted}"`)
}
