import type { IncomingMessage } from 'node:http'
import { parseJson, refusePrototypes, tooDeep } from './json.ts'
import type { ApiObject } from './kind.ts'
import { decodeObject } from './protobuf/decode.ts'
import { jsonType } from './schema/scalars.ts'
import { badRequest, StatusError, unsupportedMediaType } from './status.ts'
import { notesOfJson, notesOfYaml, type TextNotes } from './text-notes.ts'
import { readYaml } from './yaml.ts'

const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf'

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
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export function mediaTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
}

const OBJECT_TYPES = ['application/json', 'application/yaml', PROTOBUF_TYPE]
/** Server-side apply; JSON is YAML too. */
export const APPLY = 'application/apply-patch+yaml'

/**
 * A body that is an object of some kind: in JSON, YAML, or (kinds that kubectl builds itself) protobuf.
 * @param kind what it should be, for the refusal of what is no object
 */
export function parseObject(body: Buffer, mediaType: string, kind = ''): ApiObject {
  return parseText(body, mediaType, kind).object
}

/** The same, with what its text says beyond that. */
export function parseText(
  body: Buffer,
  mediaType: string,
  kind: string,
): { object: ApiObject; notes: TextNotes | undefined } {
  const { value, notes } = parseAs(mediaType, body, kind)
  if ((value ?? undefined) !== undefined && (typeof value !== 'object' || Array.isArray(value)))
    throw unrecognized(
      kind,
      body,
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    )
  return { object: (value ?? {}) as ApiObject, notes }
}

/** 400 for a body that does not even say what it is. */
export function unrecognized(kind: string, body: Buffer, why: string): StatusError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(body)})`,
  )
}

/** The beginning of a body: as it is, or in hexadecimal where it does not look like JSON. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>'
  const shown = body.subarray(0, 30)
  const text = shown.toString(body[0] === '{'.charCodeAt(0) ? 'utf8' : 'hex')
  return body.length > shown.length ? `${text} ...` : text
}

interface Parsed {
  value: unknown
  notes?: TextNotes | undefined
}

function parseAs(mediaType: string, body: Buffer, kind: string): Parsed {
  if (mediaType === '' || mediaType === 'application/json') return fromJson(body, kind)
  if (mediaType === 'application/yaml')
    return fromYaml(body, (why) => unrecognized(kind, body, why))
  if (mediaType === APPLY)
    return fromYaml(body, (why) =>
      badRequest(`error decoding YAML: error converting YAML to JSON: ${why}`),
    )
  const isProtobuf = mediaType === PROTOBUF_TYPE
  const value = isProtobuf ? parseProtobuf(body) : undefined
  if (value === undefined)
    throw unsupportedMediaType(isProtobuf ? OBJECT_TYPES.slice(0, -1) : OBJECT_TYPES)
  return { value }
}

function parseProtobuf(body: Buffer): unknown {
  try {
    const value = decodeObject(body)
    refusePrototypes(value)
    return value
  } catch (err) {
    throw err instanceof StatusError ? err : badRequest((err as Error).message)
  }
}

function fromJson(body: Buffer, kind: string): Parsed {
  const text = body.toString('utf8')
  try {
    const value = parseJson(text)
    return { value, notes: notesOfJson(text, value) }
  } catch (err) {
    if (!(err instanceof SyntaxError)) throw err
    throw unrecognized(kind, body, `couldn't get version/kind; json parse error: ${err.message}`)
  }
}

function fromYaml(body: Buffer, refusal: (why: string) => StatusError): Parsed {
  try {
    const { value, again } = readYaml(body.toString('utf8'))
    if (tooDeep(value)) throw new Error(TOO_DEEP)
    refusePrototypes(value)
    return { value, notes: notesOfYaml(again) }
  } catch (err) {
    if (err instanceof StatusError) throw err
    const { message } = err as Error
    throw refusal(`yaml: ${message.includes(STACK_END) ? TOO_DEEP : message}`)
  }
}

const TOO_DEEP = 'exceeded max depth of 10000'
/** What the parser makes of an engine's RangeError. */
const STACK_END = 'Maximum call stack size exceeded'
