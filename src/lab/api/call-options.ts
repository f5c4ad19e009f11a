import type { WriteOptions } from './api.ts'
import { APPLY, mediaTypeOf, parseObject, parseText, readBody, unrecognized } from './body.ts'
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

export function decodeOptions({ query, warn }: Call): DecodeOptions {
  const asked = query.get('fieldValidation') || 'Warn'
  return { fieldValidation: FIELD_VALIDATIONS.find((value) => value === asked) ?? 'Warn', warn }
}

const OPTIONS: Record<string, string> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
}

/**
 * Of a request that writes (meta/v1 CreateOptions and so on); Kubernetes looks at them before it reads the body.
 * @throws StatusError 422
 */
export function writeOptions(call: Call): WriteOptions {
  demandWriteOptions(call)
  const { user, query, warn } = call
  return {
    user,
    warn,
    dryRun: query.getAll('dryRun').includes('All'),
    fieldManager: managerOf(call),
  }
}

function managerOf({ query, request }: Call): string {
  return query.get('fieldManager') || (request.headers['user-agent'] ?? 'unknown').split('/')[0]!
}

function demandWriteOptions({ query, info, request }: Call): void {
  const isApply = mediaTypeOf(request) === APPLY
  const faults = [
    ...(info.verb === 'patch' ? patchFaults(query, isApply) : []),
    ...managerFaults(query.get('fieldManager') ?? ''),
    ...dryRunFaults(query.getAll('dryRun')),
    ...fieldValidationFaults(query.get('fieldValidation') ?? ''),
  ]
  if (faults.length > 0) throw invalidOptions(OPTIONS[info.verb] ?? 'UpdateOptions', ...faults)
}

function patchFaults(query: URLSearchParams, isApply: boolean): FieldError[] {
  const [field, reason] = ['fieldManager', 'FieldValueRequired']
  if (isApply)
    return query.get(field)
      ? []
      : [{ field, reason, message: 'Required value: is required for apply patch' }]
  if (!query.has('force')) return []
  const message = 'Forbidden: may not be specified for non-apply patch'
  return [{ field: 'force', reason: 'FieldValueForbidden', message }]
}

/** Bytes of a manager's name. */
const MAX_MANAGER = 128

function managerFaults(manager: string): FieldError[] {
  const field = 'fieldManager'
  const faults: FieldError[] = []
  if (Buffer.byteLength(manager) > MAX_MANAGER)
    faults.push({
      field,
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${MAX_MANAGER} bytes`,
    })
  const sign = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(manager)
  if (sign) {
    const code = sign[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    const at = Buffer.byteLength(manager.slice(0, sign.index))
    faults.push({
      field,
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(manager)}: invalid character U+${code} (at position ${at})`,
    })
  }
  return faults
}

function dryRunFaults(values: string[]): FieldError[] {
  if (!values.some((value) => value !== 'All' && value !== '')) return []
  const sent = values.map((value) => JSON.stringify(value)).join(' ')
  const message = `Unsupported value: [${sent}]: supported values: "All"`
  return [{ field: 'dryRun', reason: 'FieldValueNotSupported', message }]
}

function fieldValidationFaults(asked: string): FieldError[] {
  if (asked === '' || FIELD_VALIDATIONS.some((value) => value === asked)) return []
  const message = `Unsupported value: ${JSON.stringify(asked)}: supported values: "", "Ignore", "Strict", "Warn"`
  return [{ field: 'fieldValidation', reason: 'FieldValueNotSupported', message }]
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
  // A body is all that counts, where there is one.
  const deletion =
    body.length > 0 ? sentDeletion(parseObject(body, mediaTypeOf(request))) : askedDeletion(query)
  demandPropagation(deletion)
  const faults = dryRunFaults(deletion.dryRun ?? [])
  if (faults.length > 0) throw invalidOptions('DeleteOptions', ...faults)
  const { user, warn } = call
  return {
    deletion,
    options: {
      user,
      warn,
      fieldManager: managerOf(call),
      dryRun: deletion.dryRun?.includes('All') ?? false,
    },
  }
}

type Deletion = DeleteOptions & { dryRun?: string[] }

/** @throws StatusError 400 */
function sentDeletion(sent: ApiObject): Deletion {
  if ((sent.kind ?? 'DeleteOptions') !== 'DeleteOptions')
    throw badRequest(
      `no kind ${JSON.stringify(sent.kind)} is registered for version ${JSON.stringify(sent.apiVersion ?? '')} in scheme "pkg/runtime/scheme.go:111"`,
    )
  const deletion: Deletion = sent as object
  const { gracePeriodSeconds } = deletion
  if (gracePeriodSeconds !== undefined && typeof gracePeriodSeconds !== 'number')
    throw badRequest(
      `json: cannot unmarshal ${jsonType(gracePeriodSeconds)} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
    )
  return deletion
}

/** @throws StatusError 400 */
function askedDeletion(query: URLSearchParams): Deletion {
  const gracePeriodSeconds = integerParameter(query, 'gracePeriodSeconds')
  const propagationPolicy = query.get('propagationPolicy')
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== null && { propagationPolicy }),
    dryRun: query.getAll('dryRun'),
  }
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
