import type { ApiRequest } from './cluster.ts'

/** What a request is about, as its path says: `/apis/GROUP/VERSION/namespaces/NS/RESOURCE/NAME/SUBRESOURCE`. */
export interface RequestSubject {
  verb: string
  group: string
  resource: string
  namespace: string | undefined
  name: string | undefined
}

export function subjectOf({ method = 'GET', path, query }: ApiRequest): RequestSubject | undefined {
  const parts = path.split('/').slice(1).map(decodeURIComponent)
  const grouped = parts[0] === 'apis'
  if (!grouped && parts[0] !== 'api') return undefined
  let rest = parts.slice(grouped ? 3 : 2)
  let namespace: string | undefined
  if (rest[0] === 'namespaces' && rest.length > 2) {
    namespace = rest[1]
    rest = rest.slice(2)
  }
  const [resource, name, ...subresource] = rest
  if (!resource) return undefined
  return {
    verb: verbOf(method, name !== undefined, query?.['watch'] === true),
    group: grouped ? parts[1]! : '',
    resource: [resource, ...subresource].join('/'),
    namespace,
    name,
  }
}

/** `list pods in namespace "demo"`, `get virtualmachineinstances "vm-1" in namespace "demo"`, `GET /version`. */
export function describeRequest(request: ApiRequest): string {
  const subject = subjectOf(request)
  if (!subject) return `${request.method ?? 'GET'} ${request.path}`
  const { verb, resource, name, namespace } = subject
  return [
    `${verb} ${resource}`,
    ...(name === undefined ? [] : [`"${name}"`]),
    ...(namespace === undefined ? [] : [`in namespace "${namespace}"`]),
  ].join(' ')
}

function verbOf(method: string, named: boolean, watch: boolean): string {
  if (method === 'POST') return 'create'
  if (method === 'PUT') return 'update'
  if (method === 'PATCH') return 'patch'
  if (method === 'DELETE') return 'delete'
  if (watch) return 'watch'
  return named ? 'get' : 'list'
}
