import type { IncomingMessage } from 'node:http'
import { parse } from 'yaml'
import type { ApiObject } from './kind.ts'
import { decodeObject } from './protobuf/decode.ts'
import { badRequest, StatusError, unsupportedMediaType } from './status.ts'

/** Kubernetes' own limit of a request's body, in bytes. */
const LIMIT = 3 * 1024 * 1024

/** The whole body; 413 once it is too large, whatever its length was said to be. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > LIMIT)
      throw new StatusError(
        413,
        'RequestEntityTooLarge',
        `Request entity too large: limit is ${LIMIT}`,
        {},
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export function mediaTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
}

const OBJECT_TYPES = ['application/json', 'application/yaml']
/** Server-side apply; JSON is YAML too. */
const APPLY = 'application/apply-patch+yaml'
const PROTOBUF = 'application/vnd.kubernetes.protobuf'

/** A body that is an object of some kind: in JSON, YAML, or (kinds that kubectl builds itself) protobuf. */
export function parseObject(body: Buffer, mediaType: string): ApiObject {
  const value = parseAs(mediaType, body)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest(
      'couldn\'t get version/kind; json parse error: json: cannot unmarshal non-object into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    )
  return value as ApiObject
}

function parseAs(mediaType: string, body: Buffer): unknown {
  if (mediaType === '' || mediaType === 'application/json') return parseJson(body)
  if (mediaType === 'application/yaml' || mediaType === APPLY) return parseYaml(body)
  const value = mediaType === PROTOBUF ? parseProtobuf(body) : undefined
  if (value === undefined) throw unsupportedMediaType(OBJECT_TYPES)
  return value
}

function parseProtobuf(body: Buffer): unknown {
  try {
    return decodeObject(body)
  } catch (err) {
    throw badRequest((err as Error).message)
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (err) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(err as Error).message}`)
  }
}

function parseYaml(body: Buffer): unknown {
  try {
    return parse(body.toString('utf8'))
  } catch (err) {
    throw badRequest(`error converting YAML to JSON: ${(err as Error).message.split('\n')[0]}`)
  }
}
