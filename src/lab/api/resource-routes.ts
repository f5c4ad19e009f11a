import { type Api, reader } from './api.ts'
import { applyTo } from './apply/apply.ts'
import { isAllowed, refusalText } from './authorization.ts'
import { APPLY, mediaTypeOf, readBody } from './body.ts'
import {
  decodeOptions,
  deleteOptions,
  readApplied,
  readObject,
  writeOptions,
} from './call-options.ts'
import { create } from './create.ts'
import { decodeObject } from './decode-object.ts'
import type { Call } from './handler.ts'
import type { ApiObject, Kind } from './kind.ts'
import { invalid as invalidField } from './kinds/faults.ts'
import { demandListOptions } from './list-options.ts'
import { parsePatch } from './patch.ts'
import { get, list } from './read.ts'
import { remove } from './remove.ts'
import { reply } from './reply.ts'
import {
  forbidden,
  invalid,
  methodNotAllowed,
  noSuchResource,
  notFound,
  verbNotSupported,
} from './status.ts'
import { update } from './update.ts'
import { renderList, renderObject, type View, viewOf } from './view.ts'
import { watch } from './watch.ts'

/** The verbs of an object and of its status, the same for every kind. */
export async function resourceRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  const { info } = call
  if (kind.namespaced && info.namespace === undefined && !['list', 'watch'].includes(info.verb))
    throw info.verb === 'create' || info.verb === 'deletecollection'
      ? methodNotAllowed()
      : noSuchResource()
  if (info.name === undefined && NAMED.includes(info.verb)) throw methodNotAllowed()
  const deprecation = kind.deprecation?.(info.version)
  if (deprecation !== undefined) call.warn(deprecation)
  if (info.subresource !== '' && !(info.subresource === 'status' && kind.hasStatus))
    throw kind.builtIn ? noSuchResource() : notFound(kind, info.name ?? '')
  if (kind.isReadOnly && !READ.includes(info.verb)) throw methodNotAllowed()
  if (kind.isDeletedSingly && info.verb === 'deletecollection') throw methodNotAllowed()
  const route = info.subresource === 'status' ? STATUS_VERBS[info.verb] : VERBS[info.verb]
  if (!route) throw kind.builtIn ? methodNotAllowed() : verbNotSupported(kind, info.verb)
  await route(api, kind, call)
}

const READ = ['get', 'list', 'watch']

/** Verbs of one object. */
const NAMED = ['update', 'patch']

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

function getRoute(api: Api, kind: Kind, call: Call): void {
  const view = callView(api, kind, call)
  answer(kind, call, view, 200, get(api, kind, namespaceOf(kind, call), call.info.name!))
}

function listRoute(api: Api, kind: Kind, call: Call): void {
  demandListOptions(call.query, false)
  const view = callView(api, kind, call)
  const { items, metadata } = list(api, kind, namespaceOf(kind, call), call.query)
  reply(call.response, 200, renderList(kind, items, metadata, view), view)
}

function watchRoute(api: Api, kind: Kind, call: Call): void {
  demandListOptions(call.query, true)
  const at = { namespace: namespaceOf(kind, call), name: call.info.name }
  watch(api, kind, at, callView(api, kind, call), call.query, call.response)
}

async function createRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  if (call.info.name !== undefined) throw methodNotAllowed()
  const view = callView(api, kind, call)
  const options = writeOptions(call)
  const object = await readObject(kind, call)
  const created = create(api, kind, namespaceOf(kind, call), object, options)
  answer(kind, call, view, 201, created)
}

async function updateRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  const view = callView(api, kind, call)
  const options = writeOptions(call)
  const object = await readObject(kind, call)
  const written = update(api, kind, target(kind, call), () => object, options)
  answer(kind, call, view, 200, written)
}

async function patchRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  if (mediaTypeOf(call.request) === APPLY) return applyRoute(api, kind, call)
  const view = callView(api, kind, call)
  const options = writeOptions(call)
  const text = (await readBody(call.request)).toString('utf8')
  const patch = parsePatch(kind, mediaTypeOf(call.request), text)
  const decoding = decodeOptions(call)
  const produce = (current: ApiObject) => {
    const patched = patch.change(current)
    demandSameUid(kind, patched, current)
    return decodeObject(kind, patched, { ...decoding, patch: patch.patchedBy(patched) })
  }
  const written = update(api, kind, target(kind, call), produce, options)
  answer(kind, call, view, 200, written)
}

/** @throws StatusError 422, where a whole object with another uid is a conflict */
function demandSameUid(kind: Kind, { metadata }: ApiObject, current: ApiObject): void {
  const { uid, name } = current.metadata
  if (!metadata?.uid || metadata.uid === uid) return
  const fault = invalidField('metadata.uid', metadata.uid, 'field is immutable')
  // It is looked at twice.
  throw invalid(kind, name, [fault, fault])
}

async function applyRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  const view = callView(api, kind, call)
  const options = { ...writeOptions(call), ownershipSettled: true }
  const { fieldManager: manager } = options
  const applied = await readApplied(kind, call)
  const { subresource } = call.info
  const force = call.query.get('force') === 'true'
  const apply = (live: ApiObject | undefined) =>
    applyTo(api, kind, live, applied, { manager, force, subresource })
  const at = target(kind, call)
  if (api.store.get(kind, at.namespace, at.name))
    return answer(kind, call, view, 200, update(api, kind, at, apply, options))
  if (subresource !== '') throw notFound(kind, at.name)
  demandCreate(api, call)
  delete applied.metadata.resourceVersion
  answer(kind, call, view, 201, create(api, kind, at.namespace, apply(undefined), options))
}

/** Whoever may patch may not yet create. */
function demandCreate(api: Api, { user, info }: Call): void {
  const asked = { ...info, verb: 'create' }
  if (!isAllowed(reader(api), user, asked))
    throw forbidden(
      { group: info.group, plural: info.resource },
      info.name ?? '',
      refusalText(user, asked),
    )
}

async function deleteRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  const view = callView(api, kind, call)
  const { deletion, options } = await deleteOptions(call)
  const at = namespaceOf(kind, call)
  const left = remove(api, kind, at, call.info.name!, deletion, options)
  if (left.kind === 'Status') reply(call.response, 200, JSON.stringify(left), view)
  else answer(kind, call, view, 200, left as ApiObject)
}

async function deleteCollectionRoute(api: Api, kind: Kind, call: Call): Promise<void> {
  const view = callView(api, kind, call)
  const { deletion, options } = await deleteOptions(call)
  const { items, metadata } = list(api, kind, namespaceOf(kind, call), call.query)
  for (const { metadata } of items)
    remove(api, kind, metadata.namespace, metadata.name, deletion, options)
  reply(call.response, 200, renderList(kind, items, metadata, view), view)
}

function callView(api: Api, kind: Kind, { info, query, request }: Call): View {
  return viewOf(kind, info.version, request.headers.accept, query, api.now())
}

function answer(kind: Kind, { response }: Call, view: View, code: number, object: ApiObject): void {
  reply(response, code, renderObject(kind, object, view), view)
}

function namespaceOf(kind: Kind, { info }: Call): string | undefined {
  return kind.namespaced ? info.namespace : undefined
}

function target(kind: Kind, call: Call) {
  const { name = '', subresource } = call.info
  return { namespace: namespaceOf(kind, call), name, subresource }
}
