import type { WriteOptions } from './api.ts'
import { mediaTypeOf, parseObject, readBody } from './body.ts'
import { type DecodeOptions, decodeObject } from './decode-object.ts'
import type { Call } from './handler.ts'
import { type ApiObject, apiVersionOf, type Kind } from './kind.ts'
import type { DeleteOptions } from './remove.ts'
import { badRequest } from './status.ts'

/** The object in a body, of the kind that the path says. */
export async function readObject(kind: Kind, call: Call): Promise<ApiObject> {
  const { request, info } = call
  const object = parseObject(await readBody(request), mediaTypeOf(request))
  const expected = apiVersionOf({ group: kind.group, version: info.version })
  if ((object.kind ?? kind.kind) !== kind.kind || (object.apiVersion ?? expected) !== expected)
    throw badRequest(
      `${object.kind ?? ''} in version ${JSON.stringify(object.apiVersion?.split('/').at(-1) ?? '')} cannot be handled as a ${kind.kind}: no kind ${JSON.stringify(object.kind)} is registered for version ${JSON.stringify(object.apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    )
  return decodeObject(kind, object, decodeOptions(call))
}

const FIELD_VALIDATIONS = ['Ignore', 'Strict', 'Warn'] as const

export function decodeOptions({ query, warn }: Call): DecodeOptions {
  const asked = query.get('fieldValidation') || 'Warn'
  const fieldValidation = FIELD_VALIDATIONS.find((value) => value === asked)
  if (!fieldValidation)
    throw badRequest(
      `fieldValidation: Unsupported value: ${JSON.stringify(asked)}: supported values: "Ignore", "Strict", "Warn"`,
    )
  return { fieldValidation, warn }
}

export function writeOptions({ user, query, request, warn }: Call): WriteOptions {
  return {
    user,
    warn,
    dryRun: isDryRun(query.getAll('dryRun')),
    fieldManager:
      query.get('fieldManager') || (request.headers['user-agent'] ?? 'unknown').split('/')[0]!,
  }
}

function isDryRun(values: string[]): boolean {
  const wrong = values.find((value) => value !== 'All' && value !== '')
  if (wrong !== undefined)
    throw badRequest(`dryRun: Unsupported value: ${JSON.stringify(wrong)}: supported values: "All"`)
  return values.includes('All')
}

export async function deleteOptions(
  call: Call,
): Promise<{ deletion: DeleteOptions; options: WriteOptions }> {
  const { query, request } = call
  const body = await readBody(request)
  const sent: DeleteOptions & { dryRun?: string[] } =
    body.length > 0 ? (parseObject(body, mediaTypeOf(request)) as object) : {}
  const seconds = query.get('gracePeriodSeconds')
  const policy = query.get('propagationPolicy')
  const options = writeOptions(call)
  return {
    deletion: {
      ...sent,
      ...(seconds === null ? {} : { gracePeriodSeconds: Number(seconds) }),
      ...(policy === null ? {} : { propagationPolicy: policy }),
    },
    options: { ...options, dryRun: options.dryRun || isDryRun(sent.dryRun ?? []) },
  }
}
