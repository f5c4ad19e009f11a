import type { KubeObject } from '../kubevirt/types.ts'

/** The objects that were read, by kind, namespace and name. */
export interface Objects {
  /** Of two copies of one object the newer stays (by resourceVersion, else the later read). */
  add(object: KubeObject & { kind: string }, from: string): void
  /** A list was read, even if it was empty. */
  sawKind(kind: string): void
  seen(kind: string): boolean
  list<T extends KubeObject>(kind: string): T[]
  get<T extends KubeObject>(
    kind: string,
    namespace: string | undefined,
    name: string,
  ): T | undefined
  /** The file and line it came from. */
  originOf(object: KubeObject): string
  count(): number
}

export function createObjects(): Objects {
  const kinds = new Map<string, Map<string, KubeObject>>()
  const origins = new WeakMap<KubeObject, string>()

  const ofKind = (kind: string) => {
    const known = kinds.get(kind)
    if (known) return known
    const fresh = new Map<string, KubeObject>()
    kinds.set(kind, fresh)
    return fresh
  }

  return {
    add(object, from) {
      const all = ofKind(object.kind)
      const key = keyOf(object.metadata.namespace, object.metadata.name)
      const known = all.get(key)
      if (known && versionOf(known) > versionOf(object)) return
      all.set(key, object)
      origins.set(object, from)
    },
    sawKind: (kind) => void ofKind(kind),
    seen: (kind) => kinds.has(kind),
    list: <T extends KubeObject>(kind: string) => [...(kinds.get(kind)?.values() ?? [])] as T[],
    get: <T extends KubeObject>(kind: string, namespace: string | undefined, name: string) =>
      kinds.get(kind)?.get(keyOf(namespace, name)) as T | undefined,
    originOf: (object) => origins.get(object) ?? '',
    count: () => [...kinds.values()].reduce((sum, all) => sum + all.size, 0),
  }
}

function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`
}

function versionOf(object: KubeObject): number {
  const version = Number(object.metadata.resourceVersion)
  return Number.isFinite(version) ? version : 0
}
