import { repeatedItems } from './apply/repeated-items.ts'
import { type ApiObject, apiVersionOf, type Kind } from './kind.ts'
import { type Decoded, decode, type Fault, type Place } from './schema/decode.ts'
import {
  applyText,
  conversionText,
  decoderText,
  expectedType,
  schemaFaults,
} from './schema/fault-texts.ts'
import { jsonType } from './schema/scalars.ts'
import { badRequest, invalid, StatusError } from './status.ts'
import { duplicatesFirst, inOrderOfText, strictText, type TextNotes } from './text-notes.ts'

export interface DecodeOptions {
  /** What happens to fields that the kind does not have: refused, dropped with a warning, dropped. */
  fieldValidation: 'Strict' | 'Warn' | 'Ignore'
  warn(message: string): void
  /** What the text says that the object does not. */
  notes?: TextNotes | undefined
  /** Set for a patch. */
  patch?: PatchedBy
  /** Set for server-side apply: what it names the object; unknown fields are always refused. */
  applied?: string
}

export interface PatchedBy {
  /** What a refusal quotes. */
  quote(): string
  /** Whether its result is converted into an object rather than read as one. */
  isStrategic: boolean
  /** What is to be said of the patch itself, as of unknown fields. */
  complaints: string[]
}

/**
 * What a client sent, as an object of the kind: a private copy with kind and apiVersion set and unknown fields gone.
 * Throws 400 for what a decoder can't read, 422 for what a custom resource's schema refuses.
 */
export function decodeObject(kind: Kind, sent: ApiObject, options: DecodeOptions): ApiObject {
  const { metadata: sentMetadata, ...rest } = sent
  if (options.patch && !options.patch.isStrategic) demandSameKind(kind, sent, options)
  const literals = options.notes?.literals
  // Metadata is Go's in all kinds; the rest of a custom resource is its schema's.
  const meta = decode('ObjectMeta', sentMetadata ?? {}, {
    keepNulls: false,
    at: metadataPlace(kind),
    literals,
  })
  const body: Decoded<Record<string, unknown>> = kind.type
    ? decode(kind.type, rest, { keepNulls: !kind.builtIn, literals })
    : { value: rest, unknown: [], faults: [] }

  const unknown = [...meta.unknown, ...body.unknown]
  if (options.applied !== undefined)
    demandDeclared(
      [
        ...unknown.map((field) => `.${field}: field not declared in schema`),
        ...[...meta.faults, ...body.faults].map(applyText),
        ...repeatedItems(kind.type, rest),
      ],
      options.applied,
    )
  const [fault] = [...meta.faults, ...(kind.builtIn ? body.faults : [])]
  if (fault !== undefined) throw unreadable(kind, textFor(options)(fault), options)
  const complaints = [
    ...(options.patch?.complaints ?? []),
    ...(kind.builtIn ? inOrderOfText : duplicatesFirst)(options.notes, unknown),
  ]
  if (complaints.length > 0 && options.fieldValidation === 'Strict')
    throw unreadable(
      kind,
      `strict decoding error: ${strictText(complaints, options.notes ?? {})}`,
      options,
    )
  if (options.fieldValidation === 'Warn') for (const field of complaints) options.warn(field)
  if (!kind.builtIn) demandSchema(kind, sent.metadata?.name ?? '', body.faults, options)
  return {
    ...body.value,
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: meta.value as ApiObject['metadata'],
  }
}

/** Why an object of another kind or version is not taken for one of this. */
export function whyNotKind({ group, kind }: Kind, object: ApiObject, expected: string): string {
  const { apiVersion = expected } = object
  if (apiVersion !== expected)
    return `no kind ${JSON.stringify(object.kind ?? kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`
  const version = apiVersion.split('/').at(-1)
  return `converting (${version}.${object.kind}) to (${group.split('.')[0] || 'core'}.${kind}): unknown conversion`
}

/** A custom resource's is read by itself. */
function metadataPlace({ builtIn, kind }: Kind): Place {
  return builtIn
    ? { path: 'metadata', goPath: 'metadata', struct: kind }
    : { path: 'metadata', goPath: '', struct: 'ObjectMeta' }
}

/** A patch may not make another kind of it. @throws StatusError 422 */
function demandSameKind(kind: Kind, patched: ApiObject, options: DecodeOptions): void {
  const expected = apiVersionOf(kind)
  const { apiVersion, kind: named = '', metadata } = patched
  if (named === kind.kind && apiVersion === expected) return
  if (kind.builtIn) throw unreadable(kind, whyNotKind(kind, patched, expected), options)
  const fault = (field: string, value: unknown, must: string) => ({
    field,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: must be ${must}`,
  })
  throw invalid({ group: kind.group, kind: named }, metadata.name, [
    ...(named === kind.kind ? [] : [fault('kind', named, kind.kind)]),
    ...(apiVersion === expected ? [] : [fault('apiVersion', apiVersion, expected)]),
  ])
}

function textFor({ patch }: DecodeOptions): (fault: Fault) => string {
  return patch?.isStrategic ? conversionText : decoderText
}

function unreadable({ kind, version }: Kind, fault: string, { patch }: DecodeOptions): StatusError {
  if (patch === undefined)
    return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${fault}`)
  const cause = {
    field: 'patch',
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(patch.quote())}: ${fault}`,
  }
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${cause.message}`, {
    causes: [cause],
  })
}

/** Nobody words the refusal of an apply. @throws StatusError 500 */
function demandDeclared(faults: string[], applied: string): void {
  const lines = faults.sort()
  if (lines.length === 0) return
  const text = lines.length === 1 ? lines[0] : `errors:\n${lines.map((l) => `  ${l}`).join('\n')}`
  throw new StatusError(500, undefined, `failed to create typed patch object (${applied}): ${text}`)
}

/** KubeVirt's mutating webhooks look at new objects first, and know one type of number. @throws StatusError 422 */
function demandSchema(
  kind: Kind,
  name: string,
  faults: Fault[],
  { patch, applied }: DecodeOptions,
): void {
  if (kind.schemaWebhook && patch === undefined && applied === undefined) {
    const causes = faults.map(({ path, type, value }) => ({
      message: `${path} in body must be of type ${expectedType(type)}: "${jsonName(value)}"`,
    }))
    if (causes.length === 0) return
    const text = causes.map(({ message }) => message).join(', ')
    throw new StatusError(
      422,
      'Invalid',
      `admission webhook "${kind.schemaWebhook}" denied the request: ${text}`,
      { causes },
    )
  }
  const errors = faults.flatMap(schemaFaults)
  if (errors.length > 0)
    throw invalid(
      kind,
      name,
      errors.map(({ field, reason, message }) => ({ field, reason, message })),
    )
}

function jsonName(value: unknown): string {
  return typeof value === 'boolean' ? 'boolean' : jsonType(value)
}
