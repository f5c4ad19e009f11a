import type { Api } from './api.ts'
import { integerParameter } from './call-options.ts'
import { parseJson } from './json.ts'
import { type ApiObject, type Kind, keyOf } from './kind.ts'
import { tooLargeVersion } from './list-options.ts'
import { selectorOf } from './selectors.ts'
import type { ListMeta } from './serialise.ts'
import { badRequest, expired, notFound, StatusError } from './status.ts'

export function get(
  { store }: Api,
  kind: Kind,
  namespace: string | undefined,
  name: string,
): ApiObject {
  const found = store.get(kind, namespace, name)
  if (!found) throw notFound(kind, name)
  return found
}

/** The objects that a query selects, or a page of them. */
export function list(
  api: Api,
  kind: Kind,
  namespace: string | undefined,
  query: URLSearchParams,
): { items: ApiObject[]; metadata: ListMeta } {
  const { store } = api
  const selector = selectorOf(kind, query)
  const limit = integerParameter(query, 'limit')
  const asked = Number(query.get('resourceVersion'))
  if (asked > store.revision) throw tooLargeVersion(asked, store.revision)
  const token = query.get('continue')
  const from = token ? decodeContinue(token) : undefined
  const isExact = query.get('resourceVersionMatch') === 'Exact'
  const revision = from?.revision ?? (isExact ? asked : store.revision)
  const all = listAt(api, kind, namespace, revision, from?.after)
  const rest = from ? all.slice(all.findIndex((object) => key(object) > from.after)) : all
  const reached = from && !all.some((object) => key(object) > from.after) ? [] : rest
  const matching = selector ? reached.filter(selector) : reached
  const metadata: ListMeta = { resourceVersion: String(revision) }
  if (limit === undefined || limit <= 0 || matching.length <= limit)
    return { items: matching, metadata }
  const items = matching.slice(0, limit)
  metadata.continue = encodeContinue(revision, key(items.at(-1)!))
  // With a selector the server can't know what remains.
  if (!selector) metadata.remainingItemCount = matching.length - limit
  return { items, metadata }
}

/** As it was when the first page was read. @param after where a page begins */
function listAt(
  { store }: Api,
  kind: Kind,
  namespace: string | undefined,
  revision: number,
  after: string | undefined,
): ApiObject[] {
  try {
    return revision >= store.revision
      ? store.list(kind, namespace)
      : store.listAt(kind, namespace, revision)
  } catch (err) {
    if (after === undefined || !(err instanceof StatusError)) throw err
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
      encodeContinue(store.revision, after),
    )
  }
}

function key({ metadata }: ApiObject): string {
  return keyOf(metadata.namespace, metadata.name)
}

function encodeContinue(revision: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })).toString(
    'base64url',
  )
}

function decodeContinue(token: string): { revision: number; after: string } {
  if (!/^[\w-]+$/.test(token)) {
    const at = token.search(/[^\w-]/)
    throw badToken(`illegal base64 data at input byte ${at}`)
  }
  const { v = '', rv, start } = parseToken(Buffer.from(token, 'base64url').toString('latin1'))
  if (v !== 'meta.k8s.io/v1') throw badToken(`server does not recognize this encoded version ${v}`)
  if (!Number.isInteger(rv) || typeof start !== 'string')
    throw badToken(`incorrect encoded start resourceVersion (version ${v})`)
  return { revision: Number(rv), after: start }
}

function parseToken(text: string): { v?: unknown; rv?: unknown; start?: unknown } {
  try {
    return parseJson(text) as object
  } catch (err) {
    throw err instanceof SyntaxError ? badToken(err.message) : err
  }
}

function badToken(why: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`)
}
