import type { Api } from './api.ts'
import { integerParameter } from './call-options.ts'
import { type ApiObject, type Kind, keyOf } from './kind.ts'
import { tooLargeVersion } from './list-options.ts'
import { selectorOf } from './selectors.ts'
import type { ListMeta } from './serialise.ts'
import { badRequest, expired, notFound } from './status.ts'

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
  const revision = from?.revision ?? store.revision
  if (from && from.revision < store.oldestRevision(kind))
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
      encodeContinue(store.revision, from.after),
    )
  const all = store.list(kind, namespace)
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

function key({ metadata }: ApiObject): string {
  return keyOf(metadata.namespace, metadata.name)
}

/**
 * Later pages show objects as they are by then, under the first page's resourceVersion: a watch from there on delivers
 * whatever changed in between.
 */
function encodeContinue(revision: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })).toString(
    'base64url',
  )
}

function decodeContinue(token: string): { revision: number; after: string } {
  try {
    const { v, rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
    if (v === 'meta.k8s.io/v1' && Number.isInteger(rv) && typeof start === 'string')
      return { revision: rv, after: start }
  } catch {
    // No token of ours: refused below like one with the wrong content.
  }
  throw badRequest('continue key is not valid: illegal base64 data or unknown version')
}
