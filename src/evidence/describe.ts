/**
 * What `kubectl describe` prints, read back as the objects it came from: people paste it rather than YAML. Of custom
 * resources all fields come back, of pods name, node, labels and phase, of both the events. Ages have no date, so events
 * have no time.
 */
import { LISTS } from './shape.ts'

type Fields = Record<string, unknown>

interface Line {
  indent: number
  text: string
}

const ENTRY = /^([^:\s][^:]*?):(?:\s+(.*))?$/
/** Fields whose last word is written in capitals; kubectl's labels do not tell. */
const CAPITALS: Record<string, string> = {
  connectUrl: 'connectURL',
  hostIp: 'hostIP',
  migrationId: 'migrationID',
  podIp: 'podIP',
}

/** Whether a text begins as `kubectl describe` does, perhaps behind the command that was typed. */
export function isDescribed(head: string): boolean {
  return /^Name: {2,}\S/m.test(head) && /^(?:Namespace|API Version|Node): {2,}/m.test(head)
}

/** The objects that a text of one or more descriptions speaks of, and their events. */
export function parseDescribed(text: string): Fields[] {
  return text
    .split(/^(?=Name: {2,}\S)/m)
    .filter((part) => /^Name: /.test(part))
    .flatMap(described)
}

/** Lines of logs that were pasted below: all others are emptied, so that the numbers hold. */
export function logLinesIn(text: string): string {
  return text.replace(/^(?![{[IWEF\d]).*$|^[IWEF](?!\d{4} ).*$/gm, '')
}

function described(text: string): Fields[] {
  const lines = text.replaceAll('\r', '').split('\n').map(toLine)
  const head = headOf(lines)
  const name = textOf(head.name)
  const kind = textOf(head.kind) ?? (/^virt-/.test(name ?? '') ? 'Pod' : undefined)
  if (!name || !kind) return []
  const namespace = textOf(head.namespace)
  const object: Fields =
    head.apiVersion === undefined
      ? podOf(head)
      : { ...head, metadata: { ...Object(head.metadata) } }
  object.kind = kind
  Object.assign(object.metadata as Fields, {
    name,
    ...(namespace && { namespace }),
    labels: pairs(lines, 'Labels', '='),
    annotations: pairs(lines, 'Annotations', ': '),
  })
  for (const key of ['name', 'namespace', 'labels', 'annotations', 'events']) delete object[key]
  return [object, ...eventsOf(lines, { kind, name, ...(namespace && { namespace }) })]
}

function toLine(raw: string): Line {
  return { indent: raw.length - raw.trimStart().length, text: raw.trim() }
}

/** The fields, without the table of events, which is no field. */
function headOf(lines: Line[]): Fields {
  const events = lines.findIndex(({ indent, text }) => indent === 0 && /^Events:/.test(text))
  const own = (events < 0 ? lines : lines.slice(0, events)).filter(({ text }) => text !== '')
  const value = block(own)
  return typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {}
}

/**
 * A block of one indentation. kubectl sorts the fields of an object: where one does not come after the one before it,
 * the next item of a list has begun.
 */
function block(lines: Line[], isTop = true): unknown {
  const indent = lines[0]?.indent ?? 0
  const items: Fields[] = [{}]
  const plain: string[] = []
  let before = ''
  for (let n = 0; n < lines.length; n++) {
    const { text } = lines[n]!
    let end = n + 1
    while (end < lines.length && lines[end]!.indent > indent) end++
    const inner = lines.slice(n + 1, end)
    n = end - 1
    const [, label, value] = ENTRY.exec(text) ?? []
    if (label === undefined) {
      plain.push(text)
      continue
    }
    if (!isTop && label <= before) items.push({})
    before = label
    const key = fieldOf(label)
    const hasValue = value !== undefined && value !== ''
    const read = hasValue
      ? scalar([value, ...inner.map((l) => l.text)].join(' '))
      : block(inner, false)
    items.at(-1)![key] = LISTS.has(key) && !Array.isArray(read) ? [read] : read
  }
  if (plain.length > 0 && Object.keys(items[0]!).length === 0) return plain
  return items.length > 1 ? items : items[0]
}

/** `Migration UID` is `migrationUid`; what is no label of kubectl's stays as it is. */
function fieldOf(label: string): string {
  if (/[\d./]/.test(label)) return label
  const words = label.split(' ').map((word) => word.toLowerCase())
  const key = words.map((w, n) => (n === 0 ? w : w.charAt(0).toUpperCase() + w.slice(1))).join('')
  return CAPITALS[key] ?? key
}

function scalar(value: string): unknown {
  if (value === '<nil>' || value === '<none>') return null
  if (value === 'true' || value === 'false') return value === 'true'
  return /^\d{1,15}$/.test(value) ? Number(value) : value
}

/** Labels and annotations, a line each, the first behind the field's name. */
function pairs(lines: Line[], field: string, between: string): Record<string, string> {
  const start = lines.findIndex(({ indent, text }) => indent === 0 && text.startsWith(`${field}:`))
  if (start < 0) return {}
  let end = start + 1
  while (end < lines.length && lines[end]!.indent > 0) end++
  const texts = lines.slice(start, end).map(({ text }) => text)
  texts[0] = texts[0]!.slice(field.length + 1).trim()
  return Object.fromEntries(
    texts.flatMap((text) => {
      const at = text.indexOf(between)
      return at > 0 ? [[text.slice(0, at), text.slice(at + between.length).trim()]] : []
    }),
  )
}

/** A pod's description is made for people: only what stands at its top is told in fields. */
function podOf({ node, status }: Fields): Fields {
  const nodeName = textOf(node)?.split('/')[0]
  const conditions: Fields[] = []
  return {
    metadata: {},
    spec: { containers: [{ name: 'compute' }], ...(nodeName && { nodeName }) },
    status: { ...(textOf(status) && { phase: textOf(status) }), conditions },
  }
}

function eventsOf(lines: Line[], involvedObject: Fields): Fields[] {
  const start = lines.findIndex(({ text }) => /^Events:/.test(text))
  if (start < 0) return []
  return lines.slice(start + 1).flatMap(({ indent, text }, n) => {
    const [type, reason, , from, message] = text.split(/ {2,}/)
    if (indent === 0 || !/^(?:Normal|Warning)$/.test(type ?? '') || !message) return []
    return [
      {
        kind: 'Event',
        metadata: { name: `${involvedObject.name}.${n}`, namespace: involvedObject.namespace },
        involvedObject,
        type,
        reason,
        message: text.slice(text.indexOf(message)),
        source: { component: from },
      },
    ]
  })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
}
