import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml'
import { EXIT, MigError } from '../errors.ts'

/** One named cluster, user or context, which knows where it stands. */
export interface Entry {
  name: string
  fields: Record<string, unknown>
  /** Relative file names count from here. */
  folder: string
  /** `FILE:LINE` of the entry or of one of its fields. */
  at(field?: string): string
}

export interface Kubeconfig {
  clusters: Map<string, Entry>
  users: Map<string, Entry>
  contexts: Map<string, Entry>
  currentContext: string | undefined
  /** The files that were there, in order. */
  files: string[]
}

/** Merges as kubectl does: files that are missing are skipped (unless `required`), the first to name something wins. */
export function readKubeconfigs(files: string[], { required = false } = {}): Kubeconfig {
  const merged = emptyKubeconfig()
  for (const file of files) {
    const text = readIfThere(file, required)
    if (text !== undefined) merge(merged, parseKubeconfig(text, file))
  }
  return merged
}

/** @param file how to name it in errors; its folder is where relative file names count from */
export function parseKubeconfig(text: string, file: string): Kubeconfig {
  const lines = new LineCounter()
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (node: unknown) => {
    const offset = (node as Node | undefined)?.range?.[0]
    return offset === undefined ? file : `${file}:${lines.linePos(offset).line}`
  }
  const wrong = (node: unknown, what: string) => malformed(at(node), what)
  const [error] = doc.errors
  if (error)
    throw malformed(`${file}:${lines.linePos(error.pos[0]).line}`, firstSentence(error.message))

  const config = { ...emptyKubeconfig(), files: [file] }
  const root = doc.contents
  if (root === null || (isScalar(root) && root.value === null)) return config
  if (!isMap(root)) throw wrong(root, 'a kubeconfig is a map with clusters, users and contexts')

  for (const kind of ['clusters', 'users', 'contexts'] as const) {
    const items = root.get(kind, true)
    if (items === undefined || (isScalar(items) && items.value === null)) continue
    if (!isSeq(items)) throw wrong(items, `"${kind}" must be a list`)
    for (const item of items.items) {
      const entry = parseEntry(item, kind)
      if (!config[kind].has(entry.name)) config[kind].set(entry.name, entry)
    }
  }
  const current = root.get('current-context', true)
  if (current !== undefined && isScalar(current) && current.value) {
    if (typeof current.value !== 'string')
      throw wrong(current, '"current-context" must be a string')
    config.currentContext = current.value
  }
  return config

  function parseEntry(item: unknown, kind: 'clusters' | 'users' | 'contexts'): Entry {
    const single = kind.slice(0, -1)
    if (!isMap(item))
      throw wrong(item, `each of "${kind}" must be a map with "name" and "${single}"`)
    const name = item.get('name')
    if (typeof name !== 'string' || name === '') throw wrong(item, `a ${single} without a name`)
    const body = item.get(single, true) as Node | undefined
    const empty = body === undefined || (isScalar(body) && body.value === null)
    if (!empty && !isMap(body)) throw wrong(body, `"${single}" of "${name}" must be a map`)
    const map = empty ? undefined : (body as YAMLMap)
    return {
      name,
      fields: (map?.toJS(doc) ?? {}) as Record<string, unknown>,
      folder: dirname(resolve(file)),
      at: (field) => at((field && map?.get(field, true)) || item),
    }
  }
}

export function malformed(where: string, what: string): MigError {
  return new MigError(EXIT.usage, `malformed kubeconfig: ${where}: ${what}`, { code: 'KUBECONFIG' })
}

function emptyKubeconfig(): Kubeconfig {
  return {
    clusters: new Map(),
    users: new Map(),
    contexts: new Map(),
    currentContext: undefined,
    files: [],
  }
}

function merge(into: Kubeconfig, from: Kubeconfig): void {
  for (const kind of ['clusters', 'users', 'contexts'] as const)
    for (const [name, entry] of from[kind]) if (!into[kind].has(name)) into[kind].set(name, entry)
  into.currentContext ??= from.currentContext
  into.files.push(...from.files)
}

function readIfThere(file: string, required: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (err) {
    const { code, message } = err as NodeJS.ErrnoException
    if (code === 'ENOENT' && !required) return undefined
    throw new MigError(EXIT.usage, `cannot read kubeconfig ${file}: ${message}`, {
      cause: err,
      code: 'KUBECONFIG',
    })
  }
}

/** The parser words some errors over several lines. */
function firstSentence(message: string): string {
  return message.split('\n')[0]!.replace(/[:.]?\s*$/, '')
}
