import type { WriteOptions } from './api.ts'
import { mediaTypeOf, parseObject, parseText, readBody, unrecognized } from './body.ts'
import { type DecodeOptions, decodeObject, whyNotKind } from './decode-object.ts'
import type { Call } from './handler.ts'
import { type ApiObject, apiVersionOf, type Kind } from './kind.ts'
import type { DeleteOptions } from './remove.ts'
import { jsonType } from './schema/scalars.ts'
import { badRequest, type FieldError, invalid, type StatusError } from './status.ts'
import { yamlText } from './text-notes.ts'

/** The object in a body, of the kind that the path says. */
export async function readObject(kind: Kind, call: Call): Promise<ApiObject> {
  const { request, info } = call
  const body = await readBody(request)
  const { object, notes } = parseText(body, mediaTypeOf(request), kind.kind)
  const expected = apiVersionOf({ group: kind.group, version: info.version })
  if (!kind.builtIn) demandType(kind, object, expected, body)
  if ((object.kind ?? kind.kind) !== kind.kind || (object.apiVersion ?? expected) !== expected)
    throw badRequest(
      `${object.kind ?? ''} in version ${JSON.stringify(object.apiVersion?.split('/').at(-1) ?? '')} cannot be handled as a ${kind.kind}: ${whyNotKind(kind, object, expected)}`,
    )
  return decodeObject(kind, object, { ...decodeOptions(call), notes })
}

/** The object that is to be applied: it says what it is and how it is called, and has no fields but its kind's. */
export async function readApplied(kind: Kind, call: Call): Promise<ApiObject> {
  const { request, info } = call
  const body = await readBody(request)
  const { object: sent, notes } = parseText(body, mediaTypeOf(request), kind.kind)
  const options = decodeOptions(call)
  if (options.fieldValidation === 'Strict' && notes && notes.lines.length > 0)
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: ${yamlText(notes.lines)}`,
    )
  const { group, version } = groupVersion(sent.apiVersion ?? '')
  if (sent.kind !== kind.kind || group !== kind.group || version !== info.version)
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${sent.kind ?? ''}`)
  const { name, namespace = '' } = sent.metadata ?? {}
  if (!name)
    throw badRequest(
      `the name of the object (${info.name} based on URL) was undeterminable: name must be provided`,
    )
  if (name !== info.name)
    throw badRequest(
      `the name of the object (${name}) does not match the name on the URL (${info.name})`,
    )
  const type = `${namespace}/${name}; ${group}/${version}, Kind=${kind.kind}`
  return decodeObject(kind, sent, { ...options, notes, applied: type })
}

function groupVersion(apiVersion: string): { group: string; version: string } {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return { group, version }
}

/** A custom resource must say what it is. */
function demandType(kind: Kind, object: ApiObject, expected: string, body: Buffer): void {
  const { apiVersion = '' } = object
  if (!object.kind)
    throw unrecognized(kind.kind, body, `Object 'Kind' is missing in '${body.toString('utf8')}'`)
  if (apiVersion !== expected)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    )
}

const FIELD_VALIDATIONS = ['Ignore', 'Strict', 'Warn'] as const

export function decodeOptions({ query, warn, info }: Call): DecodeOptions {
  const asked = query.get('fieldValidation') || 'Warn'
  const fieldValidation = FIELD_VALIDATIONS.find((value) => value === asked)
  if (!fieldValidation)
    throw invalidOptions(OPTIONS[info.verb] ?? 'UpdateOptions', {
      field: 'fieldValidation',
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(asked)}: supported values: "", "Ignore", "Strict", "Warn"`,
    })
  return { fieldValidation, warn }
}

const OPTIONS: Record<string, string> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
}

export function writeOptions({ user, query, request, warn, info }: Call): WriteOptions {
  return {
    user,
    warn,
    dryRun: isDryRun(query.getAll('dryRun'), OPTIONS[info.verb] ?? 'DeleteOptions'),
    fieldManager:
      query.get('fieldManager') || (request.headers['user-agent'] ?? 'unknown').split('/')[0]!,
  }
}

function isDryRun(values: string[], options: string): boolean {
  if (!values.some((value) => value !== 'All' && value !== '')) return values.includes('All')
  const sent = values.map((value) => JSON.stringify(value)).join(' ')
  throw invalidOptions(options, {
    field: 'dryRun',
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: [${sent}]: supported values: "All"`,
  })
}

/** 422 for an option of a request: `DeleteOptions.meta.k8s.io "" is invalid: …` */
export function invalidOptions(kind: string, ...errors: FieldError[]): StatusError {
  return invalid({ group: 'meta.k8s.io', kind }, '', errors)
}

export async function deleteOptions(
  call: Call,
): Promise<{ deletion: DeleteOptions; options: WriteOptions }> {
  const { query, request } = call
  const body = await readBody(request)
  const sent: DeleteOptions & { dryRun?: string[] } =
    body.length > 0 ? (parseObject(body, mediaTypeOf(request)) as object) : {}
  const { gracePeriodSeconds } = sent
  if (gracePeriodSeconds !== undefined && typeof gracePeriodSeconds !== 'number')
    throw badRequest(
      `json: cannot unmarshal ${jsonType(gracePeriodSeconds)} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
    )
  const seconds = integerParameter(query, 'gracePeriodSeconds')
  const policy = query.get('propagationPolicy')
  const deletion = {
    ...sent,
    ...(seconds === undefined ? {} : { gracePeriodSeconds: seconds }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
  }
  demandPropagation(deletion)
  const options = writeOptions(call)
  const dryRun = options.dryRun || isDryRun(sent.dryRun ?? [], 'DeleteOptions')
  return { deletion, options: { ...options, dryRun } }
}

/** A number in the query; undefined when there is none, 400 when it is no number. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (!text) return undefined
  if (!/^[+-]?\d+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
  return Number(text)
}

const POLICIES = ['Foreground', 'Background', 'Orphan']

function demandPropagation({ propagationPolicy: policy, orphanDependents }: DeleteOptions): void {
  if (policy === undefined) return
  const field = 'propagationPolicy'
  if (orphanDependents !== undefined)
    throw invalidOptions('DeleteOptions', {
      field,
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`,
    })
  if (!POLICIES.includes(policy))
    throw invalidOptions('DeleteOptions', {
      field,
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
    })
}
