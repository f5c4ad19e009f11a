import { request as httpsRequest } from 'node:https'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { systemClock } from '../../../src/clock.ts'
import { ALL_KINDS } from '../../../src/lab/api/kinds/index.ts'
import {
  type ApiServer,
  type ApiServerOptions,
  startApiServer,
} from '../../../src/lab/api/server.ts'
import { wellKnownUsers } from '../../../src/lab/api/users.ts'

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes.
  body: any
}

interface Send {
  method?: string
  body?: unknown
  contentType?: string
  headers?: Record<string, string>
}

export interface TestApi {
  server: ApiServer
  /** As a user of the kubeconfig; `admin` by default. */
  send(path: string, send?: Send, user?: string): Promise<Answer>
  /** Lines of a watch as parsed events, until the stream or the test ends. */
  watch(path: string, user?: string): Promise<AsyncIterator<WatchLine>>
}

export interface WatchLine {
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: events carry objects of all kinds.
  object: any
}

export const HANDLER = 'system:serviceaccount:kubevirt:kubevirt-handler@node-1'
export const CONTROLLER = 'system:serviceaccount:kubevirt:kubevirt-controller'

/** A server of its own, closed when the test ends. */
export async function startTestApi(options: Partial<ApiServerOptions> = {}): Promise<TestApi> {
  const server = await startApiServer({
    clock: systemClock,
    users: wellKnownUsers(['node-1', 'node-2']),
    ...options,
  })
  onTestFinished(() => server.close())
  const users = parse(server.kubeconfig('admin')).users as {
    name: string
    user: { token: string }
  }[]
  const open = (path: string, { method, body, contentType, headers }: Send, user: string) => {
    const token = users.find(({ name }) => name === user)?.user.token
    const text =
      body === undefined || typeof body === 'string'
        ? body
        : JSON.stringify(contentType === undefined ? typed(path, body) : body)
    const request = httpsRequest(`${server.url}${path}`, {
      method: method ?? (text === undefined ? 'GET' : 'POST'),
      ca: server.caCert,
      agent: false,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(text === undefined
          ? {}
          : {
              'content-type': contentType ?? 'application/json',
              'content-length': String(Buffer.byteLength(text)),
            }),
        ...headers,
      },
    })
    request.end(text)
    return request
  }
  return {
    server,
    send: (path, send = {}, user = 'admin') =>
      new Promise((resolve, reject) => {
        const request = open(path, send, user)
        request.on('error', reject)
        request.on('response', async (response) => {
          const chunks: Buffer[] = []
          for await (const chunk of response) chunks.push(chunk as Buffer)
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body:
              /^[[{]/.test(text) && response.headers['content-type']?.includes('json')
                ? JSON.parse(text)
                : undefined,
          })
        })
      }),
    watch: (path, user = 'admin') =>
      new Promise((resolve, reject) => {
        const request = open(path, {}, user)
        onTestFinished(() => void request.destroy())
        request.on('error', reject)
        request.on('response', (response) => resolve(events(response)))
      }),
  }
}

/** A new object says what it is; the path knows. */
function typed(path: string, body: unknown): unknown {
  const [, group, version, rest = ''] = /^\/api(?:s\/([^/]+))?\/([^/]+)\/([^?]*)/.exec(path) ?? []
  const plural = rest.replace(/^namespaces\/[^/]+\/(?=.)/, '')
  const kind = ALL_KINDS.find((one) => one.group === (group ?? '') && one.plural === plural)
  if (!kind || !version || Array.isArray(body)) return body
  return {
    apiVersion: group ? `${group}/${version}` : version,
    kind: kind.kind,
    ...(body as object),
  }
}

async function* events(response: NodeJS.ReadableStream): AsyncGenerator<WatchLine> {
  for await (const line of createInterface({ input: response })) yield JSON.parse(line)
}

export async function next(watch: AsyncIterator<WatchLine>): Promise<WatchLine> {
  const { value, done } = await watch.next()
  if (done) throw new Error('the watch has ended')
  return value
}

export const KUBEVIRT = '/apis/kubevirt.io/v1/namespaces/default'
export const CORE = '/api/v1/namespaces/default'

export function vmi(name: string, more: object = {}): object {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name },
    spec: { domain: { devices: {}, resources: { requests: { memory: '64Mi' } } } },
    ...more,
  }
}

export function vmim(name: string, vmiName: string): object {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name },
    spec: { vmiName },
  }
}

export function configMap(name: string, more: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more }
}

const IMAGE = 'registry/virt-launcher:v1.9.0'

/** Containers that name no image have one all the same. */
export function pod(
  name: string,
  spec: { containers?: object; initContainers?: object; [field: string]: unknown } = {},
  metadata: object = {},
): object {
  const withImage = (list: object) =>
    Array.isArray(list) ? list.map((container) => ({ image: IMAGE, ...container })) : list
  const { containers = [{ name: 'compute' }], initContainers, ...rest } = spec
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: {
      containers: withImage(containers),
      ...(initContainers && { initContainers: withImage(initContainers) }),
      ...rest,
    },
  }
}
