import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDocuments, splitDocuments } from '../../src/evidence/documents.ts'

const all = () => true
const parse = (text: string, wanted: (kind: string) => boolean = all) => [
  ...parseDocuments(text, wanted),
]
async function split(chunks: string[], documentBytes = 1000) {
  async function* stream() {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  const parts = []
  for await (const part of splitDocuments(stream(), { documentBytes })) parts.push(part)
  return parts
}

describe('taking documents apart', () => {
  test('YAML is split at its separators, wherever the chunks end', async () => {
    const text = 'a: 1\n---\nb: 2\n--- # comment\nc: 3\n'
    for (let at = 0; at <= text.length; at++)
      expect(await split([text.slice(0, at), text.slice(at)])).toEqual([
        { text: 'a: 1\n', line: 1 },
        { text: 'b: 2\n', line: 3 },
        { text: 'c: 3\n', line: 5 },
      ])
  })

  test('a document beyond the limit is left out, and the next one is read', async () => {
    const parts = await split(['x: '.padEnd(50, 'y'), '\nz: '.padEnd(80, 'y'), '\n---\nb: 2\n'], 60)
    expect(parts).toEqual([
      { tooLarge: true, line: 1 },
      { text: 'b: 2\n', line: 4 },
    ])
  })

  test('a broken item of a list costs only itself, and says its line', () => {
    const text =
      'apiVersion: v1\nitems:\n- kind: Pod\n  metadata: {name: a}\n- kind: Pod\n  metadata: {name: [b}\n- kind: Pod\n  metadata: {name: c}\nkind: List\n'
    const [head, first, second, third] = parse(text)
    expect(head).toMatchObject({ value: { kind: 'List', items: [] } })
    expect(first).toEqual({ value: { kind: 'Pod', metadata: { name: 'a' } }, line: 3 })
    expect(second).toMatchObject({ error: expect.any(String), line: 6 })
    expect(third).toMatchObject({ value: { metadata: { name: 'c' } }, line: 7 })
  })

  test('managedFields are left out before parsing, and lines are still counted', () => {
    const text =
      'kind: Pod\nmetadata:\n  managedFields:\n  - apiVersion: v1\n    fieldsV1:\n      f:x: {}\n  - apiVersion: v2\n  name: a\nspec: [\n'
    expect(parse(text)).toMatchObject([{ error: expect.any(String), line: expect.any(Number) }])
    expect(parse(text.replace('spec: [\n', ''))).toEqual([
      { value: { kind: 'Pod', metadata: { name: 'a' } }, line: 1 },
    ])
  })

  test('several JSON objects one after the other are read, as kubectl -w prints them', () => {
    expect(parse('{\n  "kind": "Pod"\n}\n{\n  "kind": "Node"\n}\n')).toEqual([
      { value: { kind: 'Pod' }, line: 1 },
      { value: { kind: 'Node' }, line: 1 },
    ])
  })

  test('a document of a kind that nobody wants is not parsed, however broken it is', () => {
    expect(parse('kind: ClusterRole\nrules: [', (kind) => kind === 'Pod')).toEqual([])
  })

  test('JSON that is broken is one error', () => {
    expect(parse('{"kind": "Pod", ')).toMatchObject([
      { error: expect.any(String), line: expect.any(Number) },
    ])
  })
})

describe('what would be a bomb', () => {
  test('aliases that multiply are refused', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let i = 1; i < 12; i++)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      )
    expect(parse(lines.join('\n'))).toMatchObject([{ error: expect.stringContaining('alias') }])
  })

  test('nesting without end is refused', () => {
    expect(parse(`kind: Pod\nx: ${'['.repeat(20_000)}`)).toMatchObject([
      { error: expect.any(String) },
    ])
    expect(parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)).toHaveLength(1)
  })

  test('a single document may be as large as it likes where the fast path reads it', () => {
    const large = `kind: Pod\ndata:\n${'  - a line of it\n'.repeat(700_000)}`
    expect(parse(large)).toMatchObject([{ value: { kind: 'Pod' } }])
    expect(parse(`${large}  - {flow: style}\n`)).toMatchObject([
      { error: 'document of more than 8 MiB' },
    ])
  })

  test('whatever is read, nothing is thrown', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({
            unit: fc.constantFrom(
              '{',
              '}',
              '[',
              ']',
              '-',
              ' ',
              '\n',
              ':',
              'kind',
              'items:',
              '&a',
              '*a',
              '|',
              '"',
              "'",
              '!',
            ),
          }),
        ),
        (text) => {
          for (const parsed of parseDocuments(text, all))
            expect('value' in parsed || 'error' in parsed).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
  })
})

test('an object that breaks off in its status is kept as far as it goes; one without is not', () => {
  const read = (text: string) => [...parseDocuments(text, () => true)]
  const pod = 'kind: Pod\nmetadata:\n  name: a\n'
  const cut = `${pod}status:\n  phase: Pending\n  message: 'no no`
  expect(read(cut)).toMatchObject([{ value: { status: { phase: 'Pending' } }, line: 6 }])
  expect(read(cut)[0]).toHaveProperty('error')
  expect(read(`${pod}spec:\n  nodeName: 'node-`)[0]).not.toHaveProperty('value')
})
