/** What a request is about, by its method and path alone, in the words that RBAC uses. */
export interface RequestInfo {
  path: string
  isResource: boolean
  /** get, list, watch, create, update, patch, delete, deletecollection; for other paths the method in lower case. */
  verb: string
  group: string
  version: string
  namespace: string | undefined
  resource: string
  name: string | undefined
  /** `status`, `evacuate/cancel`; empty for the object itself. */
  subresource: string
  /** What follows `proxy/` in a proxy path, without the slash. */
  rest: string
}

const VERBS: Record<string, string> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/**
 * `/api/v1/…` and `/apis/GROUP/VERSION/…` name resources, all else is a plain path. Throws URIError for a path that
 * is no valid percent encoding.
 */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const info: RequestInfo = {
    path,
    isResource: false,
    verb: method.toLowerCase(),
    group: '',
    version: '',
    namespace: undefined,
    resource: '',
    name: undefined,
    subresource: '',
    rest: '',
  }
  const parts = path.split('/').slice(1)
  const root = parts.shift()
  if (root === 'apis') info.group = parts.shift() ?? ''
  else if (root !== 'api') return info
  info.version = parts.shift() ?? ''
  if (info.version === '' || parts.length === 0 || parts[0] === '') return info

  info.isResource = true
  const names = parts.map(decodeURIComponent)
  // /namespaces/NAME/status and /finalize are subresources of the namespace; anything else lies inside of it.
  if (
    names[0] === 'namespaces' &&
    names.length > 2 &&
    !['status', 'finalize'].includes(names[2]!)
  ) {
    info.namespace = names[1]!
    names.splice(0, 2)
    parts.splice(0, 2)
  } else if (names[0] === 'namespaces' && names.length > 1) info.namespace = names[1]!
  info.resource = names[0] ?? ''
  if (names[1]) info.name = names[1]
  if (names[2] === 'proxy') {
    info.subresource = 'proxy'
    info.rest = parts.slice(3).join('/')
  } else info.subresource = names.slice(2).filter(Boolean).join('/')

  info.verb = VERBS[method] ?? method.toLowerCase()
  if (info.name === undefined) {
    if (info.verb === 'get') info.verb = isSet(query.get('watch')) ? 'watch' : 'list'
    if (info.verb === 'delete') info.verb = 'deletecollection'
  }
  return info
}

/** A flag in a query is set by whatever doesn't deny it. */
function isSet(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0'
}
