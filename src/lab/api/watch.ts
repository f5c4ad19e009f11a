import type { ServerResponse } from 'node:http'
import type { Api } from './api.ts'
import { type ApiObject, apiVersionOf, type Kind } from './kind.ts'
import { type Predicate, selectorOf } from './selectors.ts'
import { eventLine, eventText } from './serialise.ts'
import { badRequest, StatusError } from './status.ts'
import type { StoreEvent } from './store.ts'
import { renderObject, type View } from './view.ts'

const BOOKMARK_INTERVAL = 60_000
const DEFAULT_TIMEOUT = 30 * 60_000
/** A watcher that doesn't read is cut off, as Kubernetes does: it lists again rather than fills our memory. */
const MAX_BUFFERED = 64 * 1024 * 1024

/** Streams the changes of a kind until the client goes, the time is over or the server closes. */
export function watch(
  api: Api,
  kind: Kind,
  { namespace, name }: { namespace: string | undefined; name: string | undefined },
  view: View,
  query: URLSearchParams,
  response: ServerResponse,
): void {
  const { store } = api
  const selector = within(namespace, name, selectorOf(kind, query))
  const encode = encoder(api, kind, view)
  const bookmarks = query.get('allowWatchBookmarks') === 'true'
  const asked = revisionOf(query)
  const send = (line: string | undefined) => {
    if (line === undefined || response.destroyed) return
    if (response.writableLength > MAX_BUFFERED) response.destroy()
    else response.write(line)
  }
  const bookmark = (initial = false) => send(encode.bookmark(store.revision, initial))

  response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
  })
  response.flushHeaders()

  const withInitial = query.get('sendInitialEvents') === 'true' || asked === 0
  const since = withInitial ? store.revision : asked
  let subscription: { backlog: StoreEvent[]; close(): void }
  try {
    subscription = store.subscribe(kind, since, (event) => send(encode.event(event, selector)))
  } catch (err) {
    if (!(err instanceof StatusError)) throw err
    response.end(eventLine('ERROR', JSON.stringify(err.status)))
    return
  }
  if (withInitial)
    for (const object of store.list(kind, namespace))
      if (!selector || selector(object)) response.write(encode.added(object))
  if (query.get('sendInitialEvents') === 'true' && bookmarks) bookmark(true)
  for (const event of subscription.backlog) send(encode.event(event, selector))

  const stop = () => {
    clearInterval(ticking)
    clearTimeout(ending)
    subscription.close()
  }
  const ticking = bookmarks ? setInterval(bookmark, BOOKMARK_INTERVAL) : undefined
  const ending = setTimeout(() => {
    if (bookmarks) bookmark()
    // It may be long until the client has read all and the connection closes: nothing is written after the end.
    stop()
    response.end()
  }, timeoutOf(query))
  response.once('close', stop)
}

function within(
  namespace: string | undefined,
  name: string | undefined,
  selector: Predicate | undefined,
): Predicate | undefined {
  if (namespace === undefined && name === undefined) return selector
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (name === undefined || object.metadata.name === name) &&
    (!selector || selector(object))
}

/** 0 stands for "any state, starting with what is there". */
function revisionOf(query: URLSearchParams): number {
  const text = query.get('resourceVersion')
  if (!text) return 0
  if (!/^\d+$/.test(text))
    throw badRequest(
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    )
  return Number(text)
}

function timeoutOf(query: URLSearchParams): number {
  const seconds = Number(query.get('timeoutSeconds'))
  return seconds > 0 ? Math.min(seconds * 1000, 2 ** 31 - 1) : DEFAULT_TIMEOUT
}

interface Encoder {
  event(event: StoreEvent, selector: Predicate | undefined): string | undefined
  added(object: ApiObject): string
  bookmark(revision: number, initial: boolean): string
}

function encoder(api: Api, kind: Kind, view: View): Encoder {
  let withoutColumns = false
  const asStored = view.as === undefined && view.apiVersion === apiVersionOf(kind)
  const render = (object: ApiObject): string => {
    const text = renderObject(kind, object, { ...view, now: api.now(), withoutColumns })
    withoutColumns = true
    return text
  }
  return {
    event(event, selector) {
      const type = seenAs(event, selector)
      if (!type) return undefined
      if (type === event.type)
        return asStored ? eventText(event) : eventLine(type, render(event.object))
      // To whom it is gone it is shown as it was while it was there.
      const last = type === 'DELETED' && event.previous
      return eventLine(type, render(last ? withRevision(last, event.revision) : event.object))
    },
    added: (object) => eventLine('ADDED', render(object)),
    bookmark: (revision, initial) =>
      eventLine(
        'BOOKMARK',
        JSON.stringify({
          ...(view.as
            ? { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }
            : { kind: kind.kind, apiVersion: view.apiVersion }),
          metadata: {
            resourceVersion: String(revision),
            creationTimestamp: null,
            ...(initial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
          },
        }),
      ),
  }
}

function withRevision(object: ApiObject, revision: number): ApiObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

/** An object that comes to match a selector is ADDED to who watches by it, one that ceases to match is DELETED. */
function seenAs(
  { type, object, previous }: StoreEvent,
  selector: Predicate | undefined,
): StoreEvent['type'] | undefined {
  if (!selector) return type
  const before = previous !== undefined && selector(previous)
  if (type === 'DELETED') return before ? 'DELETED' : undefined
  const after = selector(object)
  if (after) return before ? 'MODIFIED' : 'ADDED'
  return before ? 'DELETED' : undefined
}
