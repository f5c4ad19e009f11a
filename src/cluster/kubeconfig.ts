import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { EXIT, fileTrouble, MigError } from '../errors.ts'

/** A cluster, user or context with its name, which knows where it stands. */
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
  /** Those that were there, in their order. */
  files: string[]
}

const KINDS = ['clusters', 'users', 'contexts'] as const

/** Merges as kubectl does: a missing file is skipped (unless `required`), the first to name something wins. */
export function readKubeconfigs(files: string[], { required = false } = {}): Kubeconfig {
  const merged = emptyKubeconfig()
  for (const file of files) {
    const text = readIfThere(file, required)
    if (text !== undefined) merge(merged, parseKubeconfig(text, file))
  }
  return merged
}

/** @param file its name in errors; relative file names count from its folder */
export function parseKubeconfig(text: string, file: string): Kubeconfig {
  const source = parseSource(text, file)
  const config = { ...emptyKubeconfig(), files: [file] }
  const root = source.doc.contents
  if (isNothing(root)) return config
  if (!isMap(root))
    throw source.wrong(root, 'a kubeconfig is a map of clusters, users and contexts')

  for (const kind of KINDS) {
    const items = root.get(kind, true)
    if (isNothing(items)) continue
    if (!isSeq(items)) throw source.wrong(items, `"${kind}" must be a list`)
    for (const item of items.items) {
      const entry = readEntry(source, item, kind)
      if (!config[kind].has(entry.name)) config[kind].set(entry.name, entry)
    }
  }
  const current = root.get('current-context')
  if (current !== undefined && current !== null && typeof current !== 'string')
    throw source.wrong(root.get('current-context', true), '"current-context" must be a string')
  config.currentContext = current || undefined
  return config
}

export function malformed(where: string, what: string): MigError {
  return new MigError(EXIT.usage, `malformed kubeconfig: ${where}: ${what}`, { code: 'KUBECONFIG' })
}

interface Source {
  doc: Document
  file: string
  /** `FILE:LINE` of a node. */
  at(node: unknown): string
  wrong(node: unknown, what: string): MigError
}

function parseSource(text: string, file: string): Source {
  const lines = new LineCounter()
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const line = (offset: number) => `${file}:${lines.linePos(offset).line}`
  const [error] = doc.errors
  if (error) throw malformed(line(error.pos[0]), error.message.split('\n')[0]!)
  const at = (node: unknown) => line((node as { range?: number[] }).range?.[0] ?? 0)
  return { doc, file, at, wrong: (node, what) => malformed(at(node), what) }
}

function readEntry(source: Source, item: unknown, kind: (typeof KINDS)[number]): Entry {
  const single = kind.slice(0, -1)
  if (!isMap(item))
    throw source.wrong(item, `each of "${kind}" must be a map of "name" and "${single}"`)
  const name = item.get('name')
  if (typeof name !== 'string' || name === '') throw source.wrong(item, `a ${single} has no name`)
  const node = item.get(single, true) as unknown
  const body = isAlias(node) ? node.resolve(source.doc) : node
  if (!isNothing(body) && !isMap(body))
    throw source.wrong(body, `"${single}" of "${name}" must be a map`)
  const map = isMap(body) ? body : undefined
  return {
    name,
    fields: map?.toJS(source.doc) ?? {},
    folder: dirname(resolve(source.file)),
    at: (field) => source.at((field && map?.get(field, true)) || item),
  }
}

function isNothing(node: unknown): boolean {
  return node === undefined || node === null || (isScalar(node) && node.value === null)
}

function emptyKubeconfig(): Kubeconfig {
  const [clusters, users, contexts] = [new Map(), new Map(), new Map()]
  return { clusters, users, contexts, currentContext: undefined, files: [] }
}

function merge(into: Kubeconfig, from: Kubeconfig): void {
  for (const kind of KINDS)
    for (const [name, entry] of from[kind]) if (!into[kind].has(name)) into[kind].set(name, entry)
  into.currentContext ??= from.currentContext
  into.files.push(...from.files)
}

function readIfThere(file: string, required: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT' && !required) return undefined
    throw new MigError(EXIT.usage, `cannot read kubeconfig ${file}: ${fileTrouble(err)}`, {
      cause: err,
      code: 'KUBECONFIG',
    })
  }
}
