import type { Call } from './handler.ts'
import { apiVersionOf, type Kind } from './kind.ts'
import type { KindTable } from './kind-table.ts'
import { reply } from './reply.ts'
import { noSuchResource } from './status.ts'

const OBJECT_VERBS = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
]
const STATUS_VERBS = ['get', 'patch', 'update']

/** A resource that discovery knows though it has no objects: access reviews, KubeVirt's aggregated subresources. */
export interface VirtualResource {
  group: string
  version: string
  plural: string
  singular?: string
  kind: string
  namespaced: boolean
  verbs: string[]
}

/** `/api`, `/apis`, `/apis/GROUP` and `/apis/GROUP/VERSION`, in the aggregated form where the client knows it. */
export function discoveryRoute(
  kinds: KindTable,
  extra: VirtualResource[],
  { info, request, response }: Call,
): void {
  const resources = [...kinds.all.flatMap(resourcesOf), ...extra.map(virtual)]
  const aggregated = aggregatedVersion(request.headers.accept)
  if (info.path === '/api' || info.path === '/apis') {
    const core = info.path === '/api'
    if (aggregated) {
      response.setHeader('content-type', 'application/json')
      const type = `application/json;g=apidiscovery.k8s.io;v=${aggregated};as=APIGroupDiscoveryList`
      response.writeHead(200, { 'content-type': type })
      response.end(JSON.stringify(groupDiscoveryList(resources, core, aggregated)))
    } else reply(response, 200, JSON.stringify(core ? apiVersions() : apiGroupList(resources)))
    return
  }
  const [, root, ...parts] = info.path.replace(/\/$/, '').split('/')
  const [group, version] = root === 'api' ? ['', parts[0]] : parts
  const groups = groupsOf(resources)
  const versions = groups.get(group ?? '')
  if (!versions || parts.length > 2) throw noSuchResource()
  if (version === undefined) {
    reply(
      response,
      200,
      JSON.stringify({ kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(group!, versions) }),
    )
    return
  }
  if (!versions.includes(version)) throw noSuchResource()
  reply(response, 200, JSON.stringify(resourceList(resources, group ?? '', version)))
}

/** One resource or subresource in one version. */
interface Entry {
  group: string
  version: string
  name: string
  singular: string
  kind: string
  /** Of a subresource whose body is of another group than its parent. */
  responseGroup?: { group: string; version: string } | undefined
  namespaced: boolean
  verbs: string[]
  shortNames: string[]
  categories: string[]
}

function resourcesOf(kind: Kind): Entry[] {
  return [kind.version, ...kind.deprecatedVersions].flatMap((version) => {
    const base = {
      group: kind.group,
      version,
      namespaced: kind.namespaced,
      shortNames: [],
      categories: [],
    }
    const main: Entry = {
      ...base,
      name: kind.plural,
      singular: kind.singular,
      kind: kind.kind,
      verbs: OBJECT_VERBS,
      shortNames: kind.shortNames,
      categories: kind.categories,
    }
    const subresources = kind.subresources.map(
      (sub): Entry => ({
        ...base,
        name: `${kind.plural}/${sub.name}`,
        singular: '',
        kind: sub.kind ?? kind.kind,
        responseGroup: sub.version ? { group: sub.group ?? '', version: sub.version } : undefined,
        verbs: sub.verbs,
      }),
    )
    const status: Entry = {
      ...base,
      name: `${kind.plural}/status`,
      singular: '',
      kind: kind.kind,
      verbs: STATUS_VERBS,
    }
    return [main, ...subresources, ...(kind.hasStatus ? [status] : [])]
  })
}

function virtual({ plural, singular, ...resource }: VirtualResource): Entry {
  return {
    ...resource,
    name: plural,
    singular: singular ?? resource.kind.toLowerCase(),
    shortNames: [],
    categories: [],
  }
}

/** v2 for whoever knows it; kubectl up to 1.29 knows v2beta1 only, of the same shape. */
function aggregatedVersion(accept = ''): 'v2' | 'v2beta1' | undefined {
  const clauses = accept.split(',').filter((c) => c.includes('as=APIGroupDiscoveryList'))
  if (clauses.some((clause) => /;v=v2(;|$)/.test(clause))) return 'v2'
  return clauses.some((clause) => /;v=v2beta1(;|$)/.test(clause)) ? 'v2beta1' : undefined
}

function groupsOf(resources: Entry[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { group, version } of resources) {
    const versions = groups.get(group) ?? []
    if (!versions.includes(version)) groups.set(group, [...versions, version])
  }
  return groups
}

function apiVersions(): object {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }
}

function apiGroupList(resources: Entry[]): object {
  const groups = [...groupsOf(resources)].filter(([group]) => group !== '')
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map(([group, versions]) => apiGroup(group, versions)),
  }
}

function apiGroup(group: string, versions: string[]): object {
  const all = versions.map((version) => ({
    groupVersion: apiVersionOf({ group, version }),
    version,
  }))
  return { name: group, versions: all, preferredVersion: all[0] }
}

function resourceList(resources: Entry[], group: string, version: string): object {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf({ group, version }),
    resources: resources
      .filter((entry) => entry.group === group && entry.version === version)
      .map((entry) => ({
        name: entry.name,
        singularName: entry.singular,
        namespaced: entry.namespaced,
        ...(entry.responseGroup ?? {}),
        kind: entry.kind,
        verbs: entry.verbs,
        ...(entry.shortNames.length > 0 ? { shortNames: entry.shortNames } : {}),
        ...(entry.categories.length > 0 ? { categories: entry.categories } : {}),
      })),
  }
}

function groupDiscoveryList(resources: Entry[], core: boolean, version: string): object {
  const groups = [...groupsOf(resources)].filter(([group]) => (group === '') === core)
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(([group, versions]) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((v) => ({
        version: v,
        freshness: 'Current',
        resources: discovered(resources.filter((e) => e.group === group && e.version === v)),
      })),
    })),
  }
}

function discovered(entries: Entry[]): object[] {
  const own = (name: string) => entries.filter((entry) => entry.name.startsWith(`${name}/`))
  return entries
    .filter(({ name }) => !name.includes('/'))
    .map((entry) => {
      const subresources = own(entry.name).map((sub) => ({
        subresource: sub.name.slice(entry.name.length + 1),
        responseKind: responseKind(sub),
        verbs: sub.verbs,
      }))
      return {
        resource: entry.name,
        responseKind: responseKind(entry),
        scope: entry.namespaced ? 'Namespaced' : 'Cluster',
        singularResource: entry.singular,
        verbs: entry.verbs,
        ...(entry.shortNames.length > 0 ? { shortNames: entry.shortNames } : {}),
        ...(entry.categories.length > 0 ? { categories: entry.categories } : {}),
        ...(subresources.length > 0 ? { subresources } : {}),
      }
    })
}

function responseKind({ group, version, kind, responseGroup }: Entry): object {
  return { ...(responseGroup ?? { group, version }), kind }
}
