import type { Kind } from './kind.ts'

/** All kinds, by the names that paths and references use. */
export interface KindTable {
  all: readonly Kind[]
  /** By group and plural; the version must be one that is served, when given. */
  find(group: string, plural: string, version?: string): Kind | undefined
  byKind(group: string, kind: string): Kind | undefined
}

export function createKindTable(all: readonly Kind[]): KindTable {
  const byPlural = new Map(all.map((kind) => [`${kind.group}/${kind.plural}`, kind]))
  const byKind = new Map(all.map((kind) => [`${kind.group}/${kind.kind}`, kind]))
  return {
    all,
    find(group, plural, version) {
      const kind = byPlural.get(`${group}/${plural}`)
      return kind && (version === undefined || serves(kind, version)) ? kind : undefined
    },
    byKind: (group, kind) => byKind.get(`${group}/${kind}`),
  }
}

function serves(kind: Kind, version: string): boolean {
  return kind.version === version || kind.deprecatedVersions.includes(version)
}
