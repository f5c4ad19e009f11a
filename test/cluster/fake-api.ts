import type { ServerResponse } from 'node:http'
import type { KubeObject } from '../../src/kubevirt/types.ts'
import { type Seen, startServer, status, type TestServer } from './server.ts'

/** An API of one collection of VMIs in namespace demo, with resource versions, bookmarks, expiry and faults. */
export interface FakeApi {
  server: TestServer
  /** Adds or changes an object; a new `uid` makes it another object of the same name. */
  set(name: string, uid?: string): void
  remove(name: string): void
  /** Tells watchers the current resource version. */
  bookmark(): void
  /** Forgets the history: a watch from before now is expired. */
  compact(): void
  /** Sends a line as it is to all watchers. */
  say(line: string): void
  /** Ends all watches cleanly, as the server does after timeoutSeconds. */
  endWatches(): void
  /** Answers the next requests of this kind otherwise; each once. */
  next(kind: 'list' | 'watch', ...faults: ((response: ServerResponse) => void)[]): void
  watching(): number
  /** The queries of the watches there were. */
  watches(): URLSearchParams[]
  lists(): number
}

interface HistoryEvent {
  type: string
  version: number
  object: KubeObject
}

export async function startFakeApi({ port = 0 } = {}): Promise<FakeApi> {
  const objects = new Map<string, KubeObject>()
  const history: HistoryEvent[] = []
  const watchers = new Set<ServerResponse>()
  const faults = {
    list: [] as ((r: ServerResponse) => void)[],
    watch: [] as ((r: ServerResponse) => void)[],
  }
  const seen: { kind: 'list' | 'watch'; query: URLSearchParams }[] = []
  let version = 10
  let oldest = 10

  const server = await startServer(answer, { port })

  function answer({ url }: Seen, response: ServerResponse): unknown {
    const query = new URL(url, 'http://x').searchParams
    const kind = query.get('watch') === 'true' ? 'watch' : 'list'
    seen.push({ kind, query })
    const fault = faults[kind].shift()
    if (fault) return void fault(response)
    return kind === 'watch'
      ? follow(Number(query.get('resourceVersion')), response)
      : { metadata: { resourceVersion: String(version) }, items: [...objects.values()] }
  }

  function follow(from: number, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
    if (from < oldest)
      return void response.end(
        line('ERROR', {
          kind: 'Status',
          code: 410,
          reason: 'Expired',
          message: `too old resource version: ${from} (${oldest})`,
        }),
      )
    for (const event of history)
      if (event.version > from) response.write(line(event.type, event.object))
    watchers.add(response)
    response.on('close', () => watchers.delete(response))
  }

  function happen(type: string, object: KubeObject): void {
    version++
    const told = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } }
    history.push({ type, version, object: told })
    if (type === 'DELETED') objects.delete(object.metadata.name)
    else objects.set(object.metadata.name, told)
    say(line(type, told))
  }

  function say(text: string): void {
    for (const watcher of watchers) watcher.write(text)
  }

  return {
    server,
    set: (name, uid) => {
      const before = objects.get(name)
      happen(before ? 'MODIFIED' : 'ADDED', {
        metadata: { namespace: 'demo', name, uid: uid ?? before?.metadata.uid ?? name },
      })
    },
    remove: (name) => happen('DELETED', objects.get(name)!),
    bookmark: () => say(line('BOOKMARK', { metadata: { resourceVersion: String(++version) } })),
    compact: () => {
      oldest = version
      history.length = 0
    },
    say,
    endWatches: () => {
      for (const watcher of watchers) watcher.end()
      watchers.clear()
    },
    next: (kind, ...more) => void faults[kind].push(...more),
    watching: () => watchers.size,
    watches: () => seen.filter(({ kind }) => kind === 'watch').map(({ query }) => query),
    lists: () => seen.filter(({ kind }) => kind === 'list').length,
  }
}

export const answering =
  (code: number, body: object = {}) =>
  (response: ServerResponse) =>
    status(response, code, body)
/** Breaks off before it answers. */
export const resetting = (response: ServerResponse) => void response.socket!.destroy()

/** Breaks off once it has begun to answer. */
export const breaking = (response: ServerResponse) => {
  response.writeHead(200).flushHeaders()
  setTimeout(() => resetting(response), 5)
}

function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`
}
