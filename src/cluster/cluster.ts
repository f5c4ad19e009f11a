import type { WebSocket } from 'ws'

export interface ApiRequest {
  /** Default GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** As `pathOf` builds it: `/api/v1/…`, `/apis/…`. */
  path: string
  /** A list is a parameter that is given several times. */
  query?: Record<string, string | number | boolean | readonly string[] | undefined>
  /** A string goes out as it is, anything else as JSON. */
  body?: unknown
  /** Default application/json, where there is a body. */
  contentType?: string
  accept?: string
  /** How the answer becomes a value as it comes, where it is not to be parsed as a whole; rejects with a SyntaxError. */
  parse?: ((texts: AsyncIterable<string>) => Promise<unknown>) | undefined
  /** ms, for the request with its retries and its credentials; 0 is none. Default: the cluster's. For a stream it ends when the answer begins. */
  timeoutMs?: number
  /** Ends the request; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** One Kubernetes API, as one user. What fails is an ApiError or, before there is a request (credential plugins), a MigError. */
export interface Cluster {
  /** `https://host:port`, with the path prefix if there is one. */
  readonly server: string
  readonly context: string | undefined
  readonly namespace: string
  /** JSON in, JSON out; undefined for an empty answer. */
  request<T>(request: ApiRequest): Promise<T>
  /** Logs, metrics: whatever is no JSON. */
  text(request: ApiRequest): Promise<string>
  /** The lines of an answer, as they come; without time limit once the answer has begun. */
  stream(request: ApiRequest): Promise<AsyncIterable<string>>
  /**
   * A WebSocket to what speaks one: exec, port-forward. It is paused, so that nothing is lost before it is listened to,
   * and the caller's to close. Sent once, never repeated: what it starts may not happen twice.
   */
  upgrade(request: ApiRequest, protocols: readonly string[]): Promise<WebSocket>
  /** Ends what is in flight and closes all connections. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
