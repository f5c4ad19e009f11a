import type { IncomingMessage } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import type { Clock } from '../clock.ts'
import { EXIT, MigError } from '../errors.ts'
import { answerError, notJson } from './answer-error.ts'
import { ApiError } from './api-error.ts'
import type { ApiRequest, Cluster } from './cluster.ts'
import { createCredentials } from './credentials.ts'
import { linesOf } from './lines.ts'
import { networkError, timeLimitError } from './network-error.ts'
import { retryDelay } from './retry.ts'
import type { Target } from './target.ts'
import { limitTime, TIME_IS_UP, type TimeLimit } from './time-limit.ts'
import { createTransport } from './transport.ts'

export interface ClientSettings {
  /** ms; 0 is none. */
  requestTimeoutMs: number
  clock: Clock
}

/** The one way to the API: every request with credentials, time limit, retries, and errors that say what to do. */
export function createClient(target: Target, { requestTimeoutMs, clock }: ClientSettings): Cluster {
  const server = target.server.url
  const transport = createTransport(target.server)
  const credentials = createCredentials(target)
  const closing = new AbortController()

  async function exchange<T>(
    request: ApiRequest,
    read: (response: IncomingMessage) => Promise<T>,
    longLived = false,
  ): Promise<T> {
    const ms = request.timeoutMs ?? requestTimeoutMs
    const limit = limitTime(ms, [request.signal, closing.signal])
    let renewed = false
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(request, read, longLived, limit)
        } catch (err) {
          if (limit.signal.aborted)
            throw limit.signal.reason === TIME_IS_UP
              ? timeLimitError(server, request, ms)
              : limit.signal.reason
          if (!renewed && err instanceof ApiError && err.status === 401 && credentials.renew()) {
            renewed = true
            continue
          }
          const wait = retryDelay(err, request.method ?? 'GET', attempt)
          if (wait === undefined || wait >= limit.remaining()) throw err
          await clock.sleep(wait, limit.signal)
        }
      }
    } finally {
      limit.end()
    }
  }

  async function once<T>(
    request: ApiRequest,
    read: (response: IncomingMessage) => Promise<T>,
    longLived: boolean,
    limit: TimeLimit,
  ): Promise<T> {
    const held = await credentials.get(limit.signal)
    try {
      const response = await transport.send({
        method: request.method ?? 'GET',
        path: request.path + queryOf(request),
        credentials: held,
        longLived,
        signal: limit.signal,
        ...payload(request, held.headers),
      })
      if (response.statusCode! < 300) return await read(response)
      throw answerError(server, request, response, await textOf(response))
    } catch (err) {
      throw err instanceof MigError ? err : networkError(server, request, err)
    }
  }

  async function json<T>(request: ApiRequest): Promise<T> {
    return exchange(request, async (response) => {
      const text = await textOf(response)
      if (text === '') return undefined as T
      try {
        return JSON.parse(text) as T
      } catch {
        throw notJson(server, request, response, text)
      }
    })
  }

  async function* lines(request: ApiRequest, response: IncomingMessage): AsyncGenerator<string> {
    const stop = (event: Event) => response.destroy((event.target as AbortSignal).reason)
    const signals = [request.signal, closing.signal]
    for (const signal of signals) signal?.addEventListener('abort', stop, { once: true })
    try {
      yield* linesOf(response)
    } catch (err) {
      const aborted = signals.find((signal) => signal?.aborted)
      throw aborted ? aborted.reason : networkError(server, request, err)
    } finally {
      for (const signal of signals) signal?.removeEventListener('abort', stop)
      response.destroy()
    }
  }

  const close = async () => {
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
    close,
    [Symbol.asyncDispose]: close,
  }
}

function queryOf({ query = {} }: ApiRequest): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(query))
    if (value !== undefined) params.set(key, String(value))
  return params.size > 0 ? `?${params}` : ''
}

function payload(request: ApiRequest, credentials: Record<string, string | string[]>) {
  const body =
    request.body === undefined || typeof request.body === 'string'
      ? request.body
      : JSON.stringify(request.body)
  return {
    body,
    headers: {
      // The aggregated API of KubeVirt answers 406 to application/json alone.
      accept: request.accept ?? 'application/json, */*',
      'user-agent': 'kubectl-mig',
      ...(body !== undefined && {
        'content-type': request.contentType ?? 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
      ...credentials,
    },
  }
}
