/** What Kubernetes makes names of after a generateName. */
const SUFFIX = '[bcdfghjklmnpqrstvwxz2456789]{5}'

interface Seen {
  kind: string
  name: string
  uid: string
  generateName?: string | undefined
}

/**
 * The names and uids that the server made up, in the order in which they came, and the tokens that stand for them in a
 * recording: `virt-launcher-vm-1-<2>`, `<uid of pod virt-launcher-vm-1-<2>>`.
 */
export interface Names {
  see(object: Seen): void
  /** The real name for one with tokens; undefined while there is no such object. */
  resolveName(name: string): string | undefined
  /** Any value with all its tokens replaced; throws for a token that stands for nothing yet. */
  resolve(value: unknown): unknown
  /** The first token in a value that stands for nothing yet. */
  unresolved(value: unknown): string | undefined
  /** Any value with tokens for all that was made up. */
  tokens<T>(value: T): T
}

const KIND_WORDS: Record<string, string> = {
  Pod: 'pod',
  VirtualMachine: 'vm',
  VirtualMachineInstance: 'vmi',
  VirtualMachineInstanceMigration: 'migration',
  ResourceQuota: 'quota',
}

/** `start` in ms: what a `T+Ns` of an input counts from. */
export function createNames(start: number): Names {
  const generated = new Map<string, string[]>()
  const tokenOf = new Map<string, string>()
  const uidOf = new Map<string, string>()
  const tokenOfUid = new Map<string, string>()

  function see({ kind, name, uid, generateName }: Seen): void {
    if (tokenOfUid.has(uid)) return
    if (generateName) {
      const names = generated.get(generateName) ?? []
      names.push(name)
      generated.set(generateName, names)
      tokenOf.set(name, `${generateName}<${names.length}>`)
    }
    const token = `<uid of ${KIND_WORDS[kind] ?? kind.toLowerCase()} ${tokenOf.get(name) ?? name}>`
    uidOf.set(token, uid)
    tokenOfUid.set(uid, token)
  }

  function resolveName(name: string): string | undefined {
    const token = /^(.*)<(\d+)>$/.exec(name)
    return token ? generated.get(token[1] ?? '')?.[Number(token[2]) - 1] : name
  }

  function resolveText(text: string, otherwise: (token: string) => string): string {
    const time = /^T\+(\d+)s$/.exec(text)
    if (time) return `${new Date(start + Number(time[1]) * 1000).toISOString().slice(0, 19)}Z`
    return text
      .replace(/<uid of \S+ \S+?>(?!>)/g, (token) => uidOf.get(token) ?? otherwise(token))
      .replace(/[a-z0-9.-]+<\d+>/g, (token) => resolveName(token) ?? otherwise(token))
  }

  function tokensOfText(text: string): string {
    let result = text.replace(
      /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
      (uid) => tokenOfUid.get(uid) ?? uid,
    )
    for (const [name, token] of tokenOf) result = result.replaceAll(name, token)
    // A name of that form that no object ever had is that of one that was refused.
    for (const prefix of generated.keys())
      result = result.replace(
        new RegExp(`${escaped(prefix)}${SUFFIX}(?![a-z0-9-])`, 'g'),
        () => `${prefix}<refused>`,
      )
    return result
  }

  return {
    see,
    resolveName,
    resolve: (value) =>
      mapText(value, (text) =>
        resolveText(text, (token) => {
          throw new Error(`${token} stands for nothing yet`)
        }),
      ),
    unresolved(value) {
      let first: string | undefined
      mapText(value, (text) =>
        resolveText(text, (token) => {
          first ??= token
          return token
        }),
      )
      return first
    },
    tokens: (value) => mapText(value, tokensOfText) as typeof value,
  }
}

/** Keys are text too: activePods is keyed by uid. */
function mapText(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((entry) => mapText(entry, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [map(key), mapText(entry, map)]),
  )
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
