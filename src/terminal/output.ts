import type { Terminal } from './terminal.ts'

export type Format = 'json' | 'yaml'

/** The answer on stdout: one document, or lines for a person. */
export async function print(
  terminal: Terminal,
  document: unknown,
  format: Format | undefined,
  lines: () => string[],
): Promise<void> {
  const text = () =>
    lines()
      .map((line) => `${line}\n`)
      .join('')
  terminal.write(format ? await formatDocument(document, format) : text())
}

/**
 * One machine-readable document. With `stream` (-w) it is one of many: JSON on a line of its own, YAML after `---`.
 * Control characters stay escaped in both, so that looking at a document on a terminal is harmless.
 */
export async function formatDocument(
  value: unknown,
  format: Format,
  { stream = false } = {},
): Promise<string> {
  if (format === 'json') return `${escaped(JSON.stringify(value, null, stream ? 0 : 2))}\n`
  const { Document, visit } = await import('yaml')
  // Through JSON: undefined members are left out, as they are there.
  const document = new Document(JSON.parse(JSON.stringify(value)), { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && ACTIVE.test(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  const text = escaped(document.toString({ lineWidth: 0 }))
  return stream ? `---\n${text}` : text
}

/** DEL, the C1 characters and marks of writing direction: both formats leave them as they are within quotes. */
const ACTIVE = /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/

function escaped(text: string): string {
  return text.replace(
    new RegExp(ACTIVE, 'g'),
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
