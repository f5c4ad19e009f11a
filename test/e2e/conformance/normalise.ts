/**
 * Makes answers of two servers comparable: what is random or says when gets a name instead. The same uid or revision
 * gets the same name throughout a scenario, so that "unchanged" and "another one" stay visible.
 */
export function createNormaliser(
  namespace: string,
): (value: unknown, keep: { managedFields: boolean }) => unknown {
  const seen = new Map<string, string>()
  const named = (what: string, value: string) => {
    const known = seen.get(`${what} ${value}`)
    if (known) return known
    const count = [...seen.keys()].filter((key) => key.startsWith(`${what} `)).length
    const name = `<${what} ${count + 1}>`
    seen.set(`${what} ${value}`, name)
    return name
  }
  const text = (value: string) =>
    value
      .replace(/^\d+s$/, '<age>')
      .replaceAll(namespace, '$NS')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uid) =>
        named('uid', uid),
      )
      .replace(/(too old resource version: \d+) \(\d+\)/, '$1 (<revision>)')
      .replace(/(Too large resource version: \d+, current:) \d+/, '$1 <revision>')
      // Typed errors come in the order of a Go map.
      .replace(/(?<=errors:)(?:\n {2}\S[^\n]*)+/, (lines) => lines.split('\n').sort().join('\n'))
      // In the text of an object that a refusal quotes.
      .replace(/(resourceVersion\\?":\\?")\d+/g, '$1<revision>')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (time) =>
        time.includes('.') ? '<precise time>' : '<time>',
      )

  let keepsManagedFields = false
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map((item) => walk(item))
    if (typeof value !== 'object' || value === null) return value
    const object = value as Record<string, unknown>
    const isList = Array.isArray(object['items']) || Array.isArray(object['rows'])
    return Object.fromEntries(
      Object.entries(object).map(([key, field]) => {
        if (key === 'metadata') return [key, metadata(field as Metadata, isList)]
        return [key, walk(field)]
      }),
    )
  }
  const metadata = (value: Metadata, ofList: boolean): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const { managedFields, resourceVersion, continue: token, ...rest } = value
    const { generateName, name } = rest
    if (generateName && name && /^[a-z0-9]{5}$/.test(name.slice(-5)))
      rest.name = `${name.slice(0, -5)}<5>`
    return {
      ...(walk(rest) as object),
      // Of a list it is the server's own, which others write to at the same time.
      ...(resourceVersion && {
        resourceVersion: ofList ? '<revision>' : named('revision', resourceVersion),
      }),
      ...(token && { continue: '<token>' }),
      ...(keepsManagedFields &&
        managedFields !== undefined && { managedFields: walk(asOfOneSecond(managedFields)) }),
    }
  }
  return (value, { managedFields }) => {
    keepsManagedFields = managedFields
    return walk(value)
  }
}

/** Servers put them in order by whole seconds first: whether a scenario sees two of those is chance. */
function asOfOneSecond(managedFields: Managed[]): Managed[] {
  const order = ({ operation, time, manager, apiVersion, subresource = '' }: Managed) =>
    [operation, time ? 1 : 0, manager, apiVersion, subresource].join(' ')
  return managedFields.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
}

interface Managed {
  operation: string
  time?: string
  manager: string
  apiVersion: string
  subresource?: string
}

interface Metadata {
  name?: string
  generateName?: string
  resourceVersion?: string
  continue?: string
  managedFields?: Managed[]
}
