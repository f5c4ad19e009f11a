import type { Call } from '../handler.ts'
import type { Kind } from '../kind.ts'
import { reply } from '../reply.ts'
import { aggregatedVersion, groupDiscoveryList } from './aggregated.ts'
import { type Entry, entriesOf, groupsOf, type VirtualResource } from './entries.ts'
import { apiGroup, apiGroupList, apiVersions, resourceList } from './legacy.ts'

/**
 * `/api`, `/apis`, `/apis/GROUP` and `/apis/GROUP/VERSION`, in the aggregated form where the client knows it. Returns false,
 * with nothing answered, for a path that is none of them.
 */
export function discoveryRoute(
  kinds: readonly Kind[],
  virtual: VirtualResource[],
  { info, request, response }: Call,
): boolean {
  const entries = entriesOf(kinds, virtual)
  const path = info.path.replace(/\/$/, '')
  const core = path === '/api'
  const version = aggregatedVersion(request.headers.accept)
  if (version && (core || path === '/apis')) {
    const mediaType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`
    response.setHeader('content-type', mediaType)
    response.end(JSON.stringify(groupDiscoveryList(entries, core, version)))
    return true
  }
  const document = legacy(entries, path)
  if (document) reply(response, 200, JSON.stringify(document))
  return document !== undefined
}

function legacy(entries: Entry[], path: string): object | undefined {
  if (path === '/api') return apiVersions()
  if (path === '/apis') return apiGroupList(entries)
  const [root, ...rest] = path.slice(1).split('/')
  const [group = '', version, ...more] = root === 'api' ? ['', ...rest] : rest
  const versions = groupsOf(entries).get(group)
  if (!versions || more.length > 0) return undefined
  if (version === undefined)
    return { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(group, versions) }
  if (!versions.includes(version)) return undefined
  return resourceList(entries, group, version)
}
