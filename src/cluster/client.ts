import type { IncomingMessage } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import type { WebSocket } from 'ws'
import type { Clock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import { answerError, notJson } from './answer-error.ts'
import { isStatus } from './api-error.ts'
import type { ApiRequest, Cluster } from './cluster.ts'
import { type Credentials, createCredentials } from './credentials.ts'
import type { PluginSurroundings } from './exec-plugin.ts'
import { linesOf } from './lines.ts'
import { networkError, timeLimitError } from './network-error.ts'
import { retryDelay } from './retry.ts'
import type { Target } from './target.ts'
import { limitTime, TIME_IS_UP } from './time-limit.ts'
import { createTransport, type Outgoing } from './transport.ts'

export interface ClientSettings extends PluginSurroundings {
  /** ms; 0 is none. */
  requestTimeoutMs: number
  clock: Clock
}

/** How the answer to a request is taken; it is done when the promise is. */
type Read<T> = (response: IncomingMessage) => Promise<T>

/** One attempt at a request. */
type Attempt<T> = (sent: Outgoing) => Promise<T>

/** The one way to the API: every request with credentials, time limit, retries, and errors that say what to do. */
export function createClient(target: Target, settings: ClientSettings): Cluster {
  const { clock } = settings
  const server = target.server.url
  const transport = createTransport(target.server)
  const credentials = createCredentials(target, {
    clock,
    env: settings.env,
    interactive: settings.interactive,
  })
  const closing = new AbortController()

  function exchange<T>(request: ApiRequest, read: Read<T>, longLived = false): Promise<T> {
    return attempt(request, (sent) => send(request, read, sent), { longLived })
  }

  async function attempt<T>(
    request: ApiRequest,
    once: Attempt<T>,
    { longLived, idempotent = true }: { longLived: boolean; idempotent?: boolean },
  ): Promise<T> {
    const ms = request.timeoutMs ?? settings.requestTimeoutMs
    const limit = limitTime(ms, [request.signal, closing.signal])
    const method = idempotent ? (request.method ?? 'GET') : 'POST'
    let used: Credentials | undefined
    let renewed = false
    try {
      for (let count = 1; ; count++) {
        try {
          limit.signal.throwIfAborted()
          used = undefined
          used = await credentials.get(limit.signal)
          return await once(outgoing(request, used, longLived, limit.signal))
        } catch (err) {
          if (limit.signal.aborted) throw err
          if (isStatus(err, 401) && used && !renewed && credentials.renew(used)) {
            renewed = true
            continue
          }
          const wait = retryDelay(err, method, count)
          if (wait === undefined || wait >= limit.remaining()) throw err
          await clock.sleep(wait, limit.signal)
        }
      }
    } catch (err) {
      if (!limit.signal.aborted) throw err
      if (limit.signal.reason !== TIME_IS_UP) throw limit.signal.reason
      throw timeLimitError(target, request, ms, used ? 'answer' : 'credentials')
    } finally {
      limit.end()
    }
  }

  async function send<T>(request: ApiRequest, read: Read<T>, sent: Outgoing): Promise<T> {
    try {
      const response = await transport.send(sent)
      if (response.statusCode! < 300) return await read(response)
      throw answerError(target, request, response, await textOf(response), clock.now())
    } catch (err) {
      throw err instanceof MigError ? err : networkError(target, request, err, clock.now())
    }
  }

  async function open(
    request: ApiRequest,
    protocols: readonly string[],
    sent: Outgoing,
  ): Promise<WebSocket> {
    try {
      const upgraded = await transport.upgrade(sent, protocols)
      if ('socket' in upgraded) return upgraded.socket
      const { refusal } = upgraded
      throw answerError(target, request, refusal, await textOf(refusal), clock.now())
    } catch (err) {
      throw err instanceof MigError ? err : networkError(target, request, err, clock.now())
    }
  }

  function json<T>(request: ApiRequest): Promise<T> {
    return exchange(request, async (response) => {
      const { parse = parseWhole } = request
      let length = 0
      async function* texts() {
        for await (const text of response.setEncoding('utf8')) {
          length += text.length
          yield text
        }
      }
      try {
        return (await parse(texts())) as T
      } catch (err) {
        if (err instanceof SyntaxError) throw notJson(target, request, response, length)
        throw err
      }
    })
  }

  async function* lines(
    request: ApiRequest,
    response: IncomingMessage,
  ): AsyncGenerator<string, void, undefined> {
    const limit = limitTime(0, [request.signal, closing.signal])
    const stop = () => response.destroy()
    if (limit.signal.aborted) stop()
    limit.signal.addEventListener('abort', stop)
    try {
      yield* linesOf(response)
    } catch (err) {
      limit.signal.throwIfAborted()
      throw networkError(target, request, err, clock.now())
    } finally {
      limit.end()
      response.destroy()
    }
  }

  async function close(): Promise<void> {
    closing.abort(new MigError(EXIT.error, `the connection to ${server} was closed`))
    transport.close()
  }

  return {
    server,
    context: target.context,
    namespace: target.namespace,
    request: json,
    text: (request) => exchange({ accept: '*/*', ...request }, textOf),
    stream: (request) => exchange(request, async (response) => lines(request, response), true),
    upgrade: (request, protocols) =>
      attempt(request, (sent) => open(request, protocols, sent), {
        longLived: true,
        idempotent: false,
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function parseWhole(texts: AsyncIterable<string>): Promise<unknown> {
  let whole = ''
  for await (const text of texts) whole += text
  return whole === '' ? undefined : JSON.parse(whole)
}

function outgoing(
  request: ApiRequest,
  credentials: Credentials,
  longLived: boolean,
  signal: AbortSignal,
): Outgoing {
  const { method = 'GET', accept, contentType, body } = request
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  return {
    method,
    path: request.path + queryOf(request),
    headers: {
      // The subresources of KubeVirt's aggregated API answer 406 to application/json alone.
      accept: accept ?? 'application/json, */*',
      'user-agent': 'kubectl-mig',
      ...(payload !== undefined && {
        'content-type': contentType ?? 'application/json',
        'content-length': String(Buffer.byteLength(payload)),
      }),
      ...credentials.headers,
    },
    body: payload,
    credentials,
    longLived,
    signal,
  }
}

function queryOf({ query = {} }: ApiRequest): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) params.append(key, String(one))
  return params.size > 0 ? `?${params}` : ''
}
