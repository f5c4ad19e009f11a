import { type ApiObject, apiVersionOf, type Kind } from './kind.ts'
import { type Decoded, decode, type SchemaFault } from './schema/decode.ts'
import { badRequest, invalid, StatusError } from './status.ts'

export interface DecodeOptions {
  /** What happens to fields that the kind does not have: refused, dropped with a warning, dropped. */
  fieldValidation: 'Strict' | 'Warn' | 'Ignore'
  warn(message: string): void
  /** Set for a patch: its text is what a refusal quotes. */
  patch?: string
  /** Set for server-side apply: what it names the object; unknown fields are always refused. */
  applied?: string
}

/**
 * What a client sent, as an object of the kind: a private copy with kind and apiVersion set and unknown fields gone.
 * Throws 400 for what a decoder can't read, 422 for what a custom resource's schema refuses.
 */
export function decodeObject(kind: Kind, sent: ApiObject, options: DecodeOptions): ApiObject {
  const { metadata: sentMetadata, ...rest } = sent
  const metadata = sentMetadata ?? {}
  // Metadata is Go's in all kinds; the rest of a custom resource is its schema's.
  const meta = decode('ObjectMeta', metadata, { keepNulls: false, under: 'metadata' })
  const body: Decoded<Record<string, unknown>> = kind.type
    ? decode(kind.type, rest, { keepNulls: !kind.builtIn })
    : { value: rest, unknown: [], goFaults: [], schemaFaults: [] }

  const [fault] = [...meta.goFaults, ...(kind.builtIn ? body.goFaults : [])]
  if (fault !== undefined) throw unreadable(kind, fault, options)
  const fields = [...meta.unknown, ...body.unknown]
  if (fields.length > 0 && options.applied !== undefined) throw undeclared(fields, options.applied)
  const unknown = fields.map((path) => `unknown field "${path}"`)
  if (unknown.length > 0 && options.fieldValidation === 'Strict')
    throw unreadable(kind, `strict decoding error: ${unknown.join(', ')}`, options)
  if (options.fieldValidation === 'Warn') for (const field of unknown) options.warn(field)
  if (!kind.builtIn && body.schemaFaults.length > 0)
    throw schemaRefusal(kind, sent.metadata?.name ?? '', body.schemaFaults, options)
  return {
    ...body.value,
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: meta.value as ApiObject['metadata'],
  }
}

function unreadable({ kind, version }: Kind, fault: string, { patch }: DecodeOptions): StatusError {
  if (patch === undefined)
    return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${fault}`)
  const cause = {
    field: 'patch',
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(patch)}: ${fault}`,
  }
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${cause.message}`, {
    causes: [cause],
  })
}

/** Nobody words the refusal of an apply. */
function undeclared(fields: string[], applied: string): StatusError {
  const lines = fields.map((field) => `.${field}: field not declared in schema`)
  const text = lines.length === 1 ? lines[0] : `errors:\n${lines.map((l) => `  ${l}\n`).join('')}`
  return new StatusError(
    500,
    undefined,
    `failed to create typed patch object (${applied}): ${text}`,
  )
}

/** KubeVirt's mutating webhooks look at new objects first, and know one type of number. */
function schemaRefusal(
  kind: Kind,
  name: string,
  faults: SchemaFault[],
  { patch }: DecodeOptions,
): StatusError {
  const sentence = ({ field, expected }: SchemaFault, actual: string) =>
    `${field} in body must be of type ${expected}: "${actual}"`
  if (kind.schemaWebhook && patch === undefined) {
    const causes = faults.map((fault) => ({
      message: sentence(fault, fault.actual === 'integer' ? 'number' : fault.actual),
    }))
    const text = causes.map(({ message }) => message).join(', ')
    return new StatusError(
      422,
      'Invalid',
      `admission webhook "${kind.schemaWebhook}" denied the request: ${text}`,
      { causes },
    )
  }
  const errors = faults.map((fault) => ({
    field: fault.field,
    reason: 'FieldValueTypeInvalid',
    message: `Invalid value: "${fault.actual}": ${sentence(fault, fault.actual)}`,
  }))
  return invalid(kind, name, errors)
}
