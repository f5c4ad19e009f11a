import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Pod } from '../../../kubevirt/types.ts'
import type { Call } from '../handler.ts'
import { asPod } from '../kinds/pod.ts'
import { replyError } from '../reply.ts'
import type { SpecialRoute } from '../router.ts'
import { badRequest, notFound, StatusError } from '../status.ts'
import { realPort } from './ports.ts'

/** Headers that concern one connection only, and what must not leave this server. */
const DROPPED = [
  'authorization',
  'connection',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]

/**
 * `pods/[https:]NAME[:PORT]/proxy/PATH`: passes the request on to the pod's address. Its certificate isn't verified, as in
 * Kubernetes (fact sheet data-plane.md §6.3).
 */
export const proxyRoute: SpecialRoute = {
  group: '',
  resource: 'pods',
  subresource: 'proxy',
  handle(api, call, kind) {
    const { scheme, name, port } = parseTarget(call.info.name!)
    const found = api.store.get(kind!, call.info.namespace, name)
    if (!found) throw notFound(kind!, name)
    const pod = asPod(found)
    const ip = pod.status?.podIP
    if (!ip) throw badRequest('address not allowed')
    const asked = port ?? firstPort(pod, scheme)
    // A pod says itself what its address is, and guests' pods have addresses of no network that is there.
    if (!isLoopback(ip)) throw unreachable(`dial tcp ${ip}:${asked}: connect: no route to host`)
    forward(call, scheme, { host: ip, port: realPort(pod, asked) })
  },
}

/** `https:virt-handler-x:8443` */
function parseTarget(text: string): {
  scheme: 'http' | 'https'
  name: string
  port: number | undefined
} {
  const found = /^(?:(?<scheme>https?):)?(?<name>[^:]+)(?::(?<port>\d*))?$/.exec(text)?.groups
  if (!found) throw badRequest(`invalid pod request "${text}"`)
  return {
    scheme: (found['scheme'] ?? 'http') as 'http' | 'https',
    name: found['name']!,
    port: found['port'] ? Number(found['port']) : undefined,
  }
}

function firstPort({ spec }: Pod, scheme: 'http' | 'https'): number {
  const ports = spec.containers.flatMap(
    (container) => (container['ports'] as { containerPort: number }[] | undefined) ?? [],
  )
  return ports[0]?.containerPort ?? (scheme === 'https' ? 443 : 80)
}

function forward(call: Call, scheme: 'http' | 'https', to: { host: string; port: number }): void {
  const { request, response, info, query } = call
  const search = query.size > 0 ? `?${query}` : ''
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) => !DROPPED.includes(name) && !name.startsWith('impersonate-'),
    ),
  )
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    ...to,
    method: request.method ?? 'GET',
    path: `/${info.rest}${search}`,
    headers,
    agent: false,
    rejectUnauthorized: false,
  }
  const outgoing = (scheme === 'https' ? httpsRequest : httpRequest)(options)
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
    answer.once('error', () => response.destroy())
  })
  outgoing.on('error', (err) => replyError(response, unreachable(err.message)))
  response.once('close', () => outgoing.destroy())
  request.pipe(outgoing)
}

function isLoopback(ip: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(ip) || ip === '::1'
}

function unreachable(why: string): StatusError {
  return new StatusError(503, 'ServiceUnavailable', `error trying to reach service: ${why}`, {})
}
