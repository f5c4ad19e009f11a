import type { Api, WriteOptions } from './api.ts'
import { mediaTypeOf, parseObject, readBody } from './body.ts'
import { create } from './create.ts'
import { type DecodeOptions, decodeObject } from './decode-object.ts'
import type { Call } from './handler.ts'
import { type ApiObject, apiVersionOf, type Kind } from './kind.ts'
import { negotiate } from './negotiate.ts'
import { parsePatch } from './patch.ts'
import { get, list, renderList, renderObject } from './read.ts'
import { type DeleteOptions, remove } from './remove.ts'
import { reply } from './reply.ts'
import { listText } from './serialise.ts'
import { badRequest, methodNotAllowed, noSuchResource } from './status.ts'
import { update } from './update.ts'
import { watch } from './watch.ts'

/** The verbs of an object and of its status, the same for every kind. */
export async function resourceRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  const { info } = call
  if (info.subresource !== '' && !(info.subresource === 'status' && kind.hasStatus))
    throw noSuchResource()
  if (kind.namespaced && info.namespace === undefined && !['list', 'watch'].includes(info.verb))
    throw info.verb === 'create' || info.verb === 'deletecollection'
      ? methodNotAllowed()
      : noSuchResource()
  const route = info.subresource === 'status' ? STATUS_VERBS[info.verb] : VERBS[info.verb]
  if (!route) throw methodNotAllowed()
  await route(api, kind, call)
}

type VerbRoute = (api: Api, kind: Kind, call: Call) => Promise<void> | void

const VERBS: Record<string, VerbRoute> = {
  get: getRoute,
  list: listRoute,
  watch: watchRoute,
  create: createRoute,
  update: updateRoute,
  patch: patchRoute,
  delete: deleteRoute,
  deletecollection: deleteCollectionRoute,
}

const STATUS_VERBS: Record<string, VerbRoute> = {
  get: getRoute,
  update: updateRoute,
  patch: patchRoute,
}

function getRoute(api: Api, kind: Kind, { info, query, request, response }: Call): void {
  const format = negotiate(request.headers.accept)
  const object = get(api, kind, namespaceOf(kind, info), info.name!)
  reply(response, 200, renderObject(kind, object, format, query, api.now()), format)
}

function listRoute(api: Api, kind: Kind, { info, query, request, response }: Call): void {
  const format = negotiate(request.headers.accept)
  reply(response, 200, renderList(api, kind, namespaceOf(kind, info), format, query), format)
}

function watchRoute(api: Api, kind: Kind, { info, query, request, response }: Call): void {
  const format = negotiate(request.headers.accept)
  const at = { namespace: namespaceOf(kind, info), name: info.name }
  watch(api, kind, at, format, query, response)
}

async function createRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  const { info, query, request, response } = call
  if (info.name !== undefined) throw methodNotAllowed()
  const format = negotiate(request.headers.accept)
  const object = await readObject(kind, call)
  const created = create(api, kind, namespaceOf(kind, info), object, writeOptions(call))
  reply(response, 201, renderObject(kind, created, format, query, api.now()), format)
}

async function updateRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  const { query, request, response } = call
  const format = negotiate(request.headers.accept)
  const object = await readObject(kind, call)
  const written = update(api, kind, target(kind, call), () => object, writeOptions(call))
  reply(response, 200, renderObject(kind, written, format, query, api.now()), format)
}

async function patchRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  const { query, request, response } = call
  const format = negotiate(request.headers.accept)
  const body = await readBody(request)
  const text = body.toString('utf8')
  const patch = parsePatch(kind, mediaTypeOf(request), text)
  const options = { ...decodeOptions(call), patch: text }
  const produce = (current: ApiObject) => decodeObject(kind, patch(current), options)
  const written = update(api, kind, target(kind, call), produce, writeOptions(call))
  reply(response, 200, renderObject(kind, written, format, query, api.now()), format)
}

async function deleteRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  const { info, query, request, response } = call
  const format = negotiate(request.headers.accept)
  const { deletion, options } = await deleteOptions(call)
  const answer = remove(api, kind, namespaceOf(kind, info), info.name!, deletion, options)
  const text =
    answer.kind === 'Status'
      ? JSON.stringify(answer)
      : renderObject(kind, answer as ApiObject, format, query, api.now())
  reply(response, 200, text, format)
}

async function deleteCollectionRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  const { info, query, request, response } = call
  const format = negotiate(request.headers.accept)
  const { deletion, options } = await deleteOptions(call)
  const { items, metadata } = list(api, kind, namespaceOf(kind, info), query)
  for (const { metadata } of items)
    remove(api, kind, metadata.namespace, metadata.name, deletion, options)
  reply(response, 200, listText(kind, items, metadata), format)
}

function namespaceOf(kind: Kind, { namespace }: Call['info']): string | undefined {
  return kind.namespaced ? namespace : undefined
}

function target(kind: Kind, { info }: Call) {
  return { namespace: namespaceOf(kind, info), name: info.name!, subresource: info.subresource }
}

/** The object in a body, of the kind that the path says. */
async function readObject(kind: Kind, call: Call): Promise<ApiObject> {
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

function decodeOptions({ query, warn }: Call): DecodeOptions {
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

async function deleteOptions(
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
