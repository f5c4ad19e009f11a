import { type Entry, groupsOf } from './entries.ts'
import { names } from './legacy.ts'

/** Discovery in one document, as kubectl asks for it first; the core group and the named groups have one each. */
export function groupDiscoveryList(entries: Entry[], core: boolean, version: string): object {
  const groups = [...groupsOf(entries)].filter(([group]) => (group === '') === core)
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(([group, versions]) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((v) => ({
        version: v,
        freshness: 'Current',
        resources: resources(entries.filter((e) => e.group === group && e.version === v)),
      })),
    })),
  }
}

/**
 * The version a client takes from its Accept header: v2, or v2beta1 of the same shape (kubectl up to 1.29);
 * undefined for one that knows the old form only.
 */
export function aggregatedVersion(accept = ''): 'v2' | 'v2beta1' | undefined {
  const clauses = accept.split(',').filter((c) => c.includes('as=APIGroupDiscoveryList'))
  if (clauses.some((clause) => /;v=v2(;|$)/.test(clause))) return 'v2'
  return clauses.some((clause) => /;v=v2beta1(;|$)/.test(clause)) ? 'v2beta1' : undefined
}

function resources(entries: Entry[]): object[] {
  const parents = new Set(entries.map(({ name }) => name.split('/')[0]!))
  return [...parents].map((name) => {
    const own = entries.find((entry) => entry.name === name)
    const subresources = entries
      .filter((entry) => entry.name.startsWith(`${name}/`))
      .map((sub) => ({
        subresource: sub.name.slice(name.length + 1),
        ...(sub.kind ? { responseKind: responseKind(sub) } : {}),
        verbs: sub.verbs,
      }))
    return {
      resource: name,
      // A parent that is none itself (KubeVirt's aggregated API has subresources only) has no kind and no verbs.
      ...(own ? { responseKind: responseKind(own) } : {}),
      scope: (own ?? entries[0])?.namespaced ? 'Namespaced' : 'Cluster',
      singularResource: own?.singular ?? '',
      verbs: own?.verbs ?? [],
      ...(own ? names(own) : {}),
      ...(subresources.length > 0 ? { subresources } : {}),
    }
  })
}

function responseKind({ group, version, kind, responseGroup }: Entry): object {
  return { ...(responseGroup ?? { group, version }), kind }
}
