/**
 * Which fields somebody owns: a set of paths, each a text of elements as `metadata.managedFields` writes them: `f:name` for
 * a field, `k:{"name":"x"}` for the item of a list with a key, `v:"x"` for an item of a set.
 */
export type FieldSet = ReadonlySet<string>

/** Stands between the elements of a path; no JSON text holds it unescaped. */
const SEPARATOR = '\n'

export type FieldsV1 = { [element: string]: FieldsV1 }

export function pathOf(...elements: string[]): string {
  return elements.filter((element) => element !== '').join(SEPARATOR)
}

export function elementsOf(path: string): string[] {
  return path.split(SEPARATOR)
}

export function union(a: FieldSet, b: FieldSet): Set<string> {
  return new Set([...a, ...b])
}

export function difference(a: FieldSet, b: FieldSet): Set<string> {
  return new Set([...a].filter((path) => !b.has(path)))
}

/** With all that these are part of. */
export function withParents(paths: FieldSet): Set<string> {
  const all = new Set(paths)
  for (const path of paths) {
    const elements = elementsOf(path)
    for (let length = elements.length - 1; length > 0; length--)
      all.add(pathOf(...elements.slice(0, length)))
  }
  return all
}

export function sameSet(a: FieldSet, b: FieldSet): boolean {
  return a.size === b.size && [...a].every((path) => b.has(path))
}

interface TreeNode {
  isMember: boolean
  children: Map<string, TreeNode>
}

/** As a nested object: a member that has members below it is marked by a `.`. */
export function toFieldsV1(set: FieldSet): FieldsV1 {
  const root: TreeNode = { isMember: false, children: new Map() }
  for (const path of set) {
    let node = root
    for (const element of elementsOf(path)) {
      const child = node.children.get(element) ?? { isMember: false, children: new Map() }
      node.children.set(element, child)
      node = child
    }
    node.isMember = true
  }
  return render(root)
}

function render({ isMember, children }: TreeNode): FieldsV1 {
  const entries = [...children].map(([element, child]) => [element, render(child)] as const)
  if (isMember && entries.length > 0) entries.unshift(['.', {}])
  return Object.fromEntries(entries)
}

export function fromFieldsV1(fields: FieldsV1): Set<string> {
  const set = new Set<string>()
  const walk = (node: FieldsV1, path: string) => {
    const names = Object.keys(node)
    if (path !== '' && (names.length === 0 || names.includes('.'))) set.add(path)
    for (const name of names) if (name !== '.') walk(node[name] ?? {}, pathOf(path, name))
  }
  walk(fields, '')
  return set
}

/** `.spec.containers[name="compute"].image`, as a conflict names a field. */
export function readable(path: string): string {
  return elementsOf(path)
    .map((element) => {
      const value = element.slice(2)
      if (element.startsWith('f:')) return `.${value}`
      if (element.startsWith('v:')) return `[=${value}]`
      const keys = Object.entries(JSON.parse(value) as Record<string, unknown>)
      return `[${keys.map(([key, of]) => `${key}=${JSON.stringify(of)}`).join(',')}]`
    })
    .join('')
}
