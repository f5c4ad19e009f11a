import { X509Certificate } from 'node:crypto'
import type { ApiRequest } from './cluster.ts'
import type { Target } from './target.ts'

/** What a request is about, as its path says: `/apis/GROUP/VERSION/namespaces/NS/RESOURCE/NAME/SUBRESOURCE`. */
export interface RequestSubject {
  verb: string
  group: string
  version: string
  /** With its subresource: `pods/log`. */
  resource: string
  namespace: string | undefined
  name: string | undefined
}

export function subjectOf({ method = 'GET', path, query }: ApiRequest): RequestSubject | undefined {
  const parts = path.split('/').slice(1).map(decodeURIComponent)
  const grouped = parts[0] === 'apis'
  if (!grouped && parts[0] !== 'api') return undefined
  const [version = '', ...below] = parts.slice(grouped ? 2 : 1)
  const inNamespace = below[0] === 'namespaces' && below.length > 2
  const [resource, name, ...subresource] = inNamespace ? below.slice(2) : below
  if (!resource) return undefined
  return {
    verb: verbOf(method, name !== undefined, query?.['watch'] === true),
    group: grouped ? parts[1]! : '',
    version,
    resource: subresource[0] ? `${resource}/${subresource[0]}` : resource,
    namespace: inNamespace ? below[1] : undefined,
    name,
  }
}

/** `cannot list pods in namespace "demo"`, `cannot get nodes "node-1"`, `cannot GET /version`. */
export function cannot(request: ApiRequest): string {
  const subject = subjectOf(request)
  if (!subject) return `cannot ${request.method ?? 'GET'} ${request.path}`
  const { verb, resource, name, namespace } = subject
  const quoted = name === undefined ? '' : ` "${name}"`
  const where = namespace === undefined ? '' : ` in namespace "${namespace}"`
  return `cannot ${verb} ${resource}${quoted}${where}`
}

export function describeUser({ user }: Target): string {
  return user.name === undefined ? 'an anonymous user' : `user "${user.name}"`
}

/** Says so when the user's certificate is out of date; the server tells no more than that it doesn't like it. */
export function certificateComplaint({ user }: Target, now: number): string | undefined {
  if (user.cert === undefined) return undefined
  const { validFromDate, validToDate } = new X509Certificate(user.cert)
  if (validToDate.getTime() < now)
    return `its client certificate expired on ${validToDate.toISOString()}`
  if (validFromDate.getTime() > now)
    return `its client certificate is valid only from ${validFromDate.toISOString()}`
  return undefined
}

function verbOf(method: string, named: boolean, watch: boolean): string {
  if (method === 'POST') return 'create'
  if (method === 'PUT') return 'update'
  if (method === 'PATCH') return 'patch'
  if (method === 'DELETE') return 'delete'
  if (watch) return 'watch'
  return named ? 'get' : 'list'
}
