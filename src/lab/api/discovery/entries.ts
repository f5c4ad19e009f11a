import type { Kind } from '../kind.ts'
import { inGroupOrder } from './group-priority.ts'

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

/** One resource or subresource (`pods/log`) in one version. */
export interface Entry {
  group: string
  version: string
  /** The version that objects are stored in. */
  storageVersion: string
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
/** Of Kubernetes' own kinds they come in another order than of custom resources. */
const BUILT_IN_VERBS = [...OBJECT_VERBS].sort()
const READ_VERBS = ['get', 'list', 'watch']
const STATUS_VERBS = ['get', 'patch', 'update']

export function entriesOf(kinds: readonly Kind[], virtual: VirtualResource[]): Entry[] {
  return [...kinds.flatMap(kindEntries), ...virtual.map(virtualEntry)]
}

function kindEntries(kind: Kind): Entry[] {
  return [kind.version, ...kind.deprecatedVersions].flatMap((version) => {
    const base = {
      group: kind.group,
      version,
      storageVersion: kind.version,
      namespaced: kind.namespaced,
      singular: '',
      kind: kind.kind,
      shortNames: [],
      categories: [],
    }
    const main: Entry = {
      ...base,
      name: kind.plural,
      singular: kind.singular,
      verbs: verbsOf(kind),
      shortNames: kind.shortNames,
      categories: kind.categories,
    }
    const subresources = kind.subresources.map(
      (sub): Entry => ({
        ...base,
        name: `${kind.plural}/${sub.name}`,
        kind: sub.kind ?? kind.kind,
        responseGroup: sub.version ? { group: sub.group ?? '', version: sub.version } : undefined,
        verbs: sub.verbs,
      }),
    )
    const statusVerbs = kind.isReadOnly ? ['get'] : STATUS_VERBS
    const status: Entry = { ...base, name: `${kind.plural}/status`, verbs: statusVerbs }
    return [main, ...subresources, ...(kind.hasStatus ? [status] : [])]
  })
}

function verbsOf({ isReadOnly, isDeletedSingly, builtIn }: Kind): string[] {
  if (isReadOnly) return READ_VERBS
  const all = builtIn ? BUILT_IN_VERBS : OBJECT_VERBS
  return isDeletedSingly ? all.filter((verb) => verb !== 'deletecollection') : all
}

function virtualEntry({ plural, singular, ...resource }: VirtualResource): Entry {
  return {
    ...resource,
    storageVersion: resource.version,
    name: plural,
    singular: singular ?? resource.kind.toLowerCase(),
    shortNames: [],
    categories: [],
  }
}

/** The versions of each group, the preferred one first; groups as Kubernetes lists them. */
export function groupsOf(entries: Entry[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { group, version } of entries) {
    const versions = groups.get(group) ?? []
    if (!versions.includes(version)) groups.set(group, [...versions, version])
  }
  return new Map(inGroupOrder(groups))
}
