import type { ServerResponse } from 'node:http'
import type { Api } from './api.ts'
import { entriesOf, groupsOf, type VirtualResource } from './discovery/entries.ts'
import { discoveryRoute } from './discovery/route.ts'
import type { Call, Route } from './handler.ts'
import type { Kind } from './kind.ts'
import { createOpenApi } from './openapi/documents.ts'
import { emptyOpenApiV2, OPENAPI_V2_TYPE } from './openapi/v2.ts'
import { reply } from './reply.ts'
import type { RequestInfo } from './request-info.ts'
import { resourceRoute } from './resource-routes.ts'
import { methodNotAllowed, noSuchResource } from './status.ts'

const SERVER_VERSION = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3',
  gitCommit: '0000000000000000000000000000000000000000',
  gitTreeState: 'clean',
  buildDate: '2026-07-14T00:00:00Z',
  goVersion: 'go1.26.0',
  compiler: 'gc',
  platform: 'linux/amd64',
}

/** A path of its own beside the kinds' verbs: a subresource (`pods/binding`) or a resource without objects. */
export interface SpecialRoute {
  group: string
  resource: string
  subresource: string
  handle(api: Api, call: Call, kind: Kind | undefined): Promise<void> | void
}

/** Knows paths, not kinds: resources go to the verbs, or to the special route that is registered for them. */
export function createRouter(
  api: Api,
  special: SpecialRoute[],
  virtualResources: VirtualResource[],
): Route {
  const openApi = createOpenApi(api.kinds.all)
  return async (call) => {
    const { info, response } = call
    if (info.isResource) {
      const kind = api.kinds.find(info.group, info.resource, info.version)
      const route = special.find(
        (r) =>
          r.group === info.group &&
          r.resource === info.resource &&
          r.subresource === info.subresource,
      )
      if (route) return route.handle(api, call, kind)
      if (!kind) {
        if (isBuiltIn(api, info)) throw noSuchResource()
        return pageNotFound(response)
      }
      return resourceRoute(api, kind, call)
    }
    if (isReadOnlyPath(api, info.path) && !READ.includes(call.request.method ?? ''))
      throw methodNotAllowed()
    if (info.path === '/version' || info.path === '/version/')
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(SERVER_VERSION, null, 2))
    if (/^\/(healthz|livez|readyz)(\/ping)?\/?$/.test(info.path)) return health(call)
    if (info.path === '/') {
      const groups = groupsOf(entriesOf(api.kinds.all, virtualResources))
      return reply(response, 200, JSON.stringify({ paths: paths(groups) }, null, 2))
    }
    if (/^\/apis?(\/|$)/.test(info.path)) {
      const found = discoveryRoute(api.kinds.all, virtualResources, call)
      return found ? undefined : pageNotFound(response)
    }
    if (info.path === '/openapi/v2') {
      response.writeHead(200, { 'content-type': OPENAPI_V2_TYPE })
      response.end(emptyOpenApiV2())
      return
    }
    if (info.path === '/openapi/v3') return reply(response, 200, JSON.stringify(openApi.index()))
    const document = openApi.document(info.path.replace(/^\/openapi\/v3\//, ''))
    if (document === undefined) return pageNotFound(response)
    reply(response, 200, document)
  }
}

const READ = ['GET', 'HEAD']

/** Kubernetes' own part of the discovery takes no other methods; that of custom resources does not look at them. */
function isReadOnlyPath({ kinds }: Api, path: string): boolean {
  const [, root, group, version, ...more] = path.replace(/\/$/, '').split('/')
  if (root === 'version') return group === undefined
  if (root === 'api') return group === undefined || (group === 'v1' && version === undefined)
  return (
    root === 'apis' &&
    version !== undefined &&
    more.length === 0 &&
    kinds.all.some((kind) => kind.builtIn && kind.group === group && kind.version === version)
  )
}

/** In short, or check by check: there is but one. */
function health({ info, query, response }: Call): void {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
  const [, endpoint = ''] = info.path.split('/')
  const isVerbose = query.has('verbose') && !info.path.includes('/ping')
  response.end(isVerbose ? `[+]ping ok\n${endpoint} check passed\n` : 'ok')
}

/** Where one may ask on. */
function paths(groups: ReadonlyMap<string, string[]>): string[] {
  const named = [...groups].flatMap(([group, versions]) =>
    group === ''
      ? []
      : [`/apis/${group}`, ...versions.map((version) => `/apis/${group}/${version}`)],
  )
  return [...OWN_PATHS, ...named].sort()
}

const OWN_PATHS = [
  '/api',
  '/api/v1',
  '/apis',
  '/apis/',
  ...['/healthz', '/livez', '/readyz'].flatMap((path) => [path, `${path}/ping`]),
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/version',
]

/** In a group of Kubernetes' own, what is missing is missed by the group's API. */
function isBuiltIn({ kinds }: Api, { group, version }: RequestInfo): boolean {
  return kinds.all.some((kind) => kind.builtIn && kind.group === group && kind.version === version)
}

/** What is no API's is answered by none. */
function pageNotFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
  response.end('404 page not found\n')
}
