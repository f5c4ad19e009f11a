import { createHash } from 'node:crypto'
import { apiVersionOf } from '../kind.ts'
import { type Entry, groupsOf } from './entries.ts'

/** Discovery in the old form: one document for all groups, one a group, one a version. */

export function apiVersions(): object {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }
}

export function apiGroupList(entries: Entry[]): object {
  const groups = [...groupsOf(entries)].filter(([group]) => group !== '')
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map(([group, versions]) => apiGroup(group, versions)),
  }
}

export function apiGroup(group: string, versions: string[]): object {
  const all = versions.map((version) => ({
    groupVersion: apiVersionOf({ group, version }),
    version,
  }))
  return { name: group, versions: all, preferredVersion: all[0] }
}

export function resourceList(entries: Entry[], group: string, version: string): object {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf({ group, version }),
    resources: entries
      .filter((entry) => entry.group === group && entry.version === version)
      .map((entry) => ({
        name: entry.name,
        singularName: entry.singular,
        namespaced: entry.namespaced,
        ...entry.responseGroup,
        kind: entry.kind,
        verbs: entry.verbs,
        ...names(entry),
        ...(entry.name.includes('/') ? {} : { storageVersionHash: storageVersionHash(entry) }),
      })),
  }
}

/** As k8s.io/apiserver derives it from the version that is stored. */
function storageVersionHash({ group, storageVersion, kind }: Entry): string {
  const text = `${group}/${storageVersion}/${kind}`
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')
}

export function names({ shortNames, categories }: Entry): object {
  return {
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
  }
}
