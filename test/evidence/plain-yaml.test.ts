import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse, parseDocument, stringify } from 'yaml'
import { parsePlainYaml } from '../../src/evidence/plain-yaml.ts'

/** The same as the library, or left to it. */
function agrees(text: string): void {
  const plain = parsePlainYaml(text)
  if (plain !== undefined) expect(plain).toEqual(parse(text, { uniqueKeys: false }))
}

describe('the fast path of YAML', () => {
  test.each([
    ['a mapping', 'a: 1\nb: x y\n'],
    ['items as far left as their key', 'a:\n- b: 1\n  c: 2\n-\n- d\n'],
    ['items in items', 'a:\n  - - 1\n    - 2\n  - x\n'],
    ['a literal block', 'a:\n  b: |\n    one\n\n      two\n\n\n  c: |-\n    x\n\n'],
    ['quoted keys and values', `"8443": 'it''s'\n'a b': "x\\n\\"y\\""\n`],
    ['nothing, in all its words', 'a: null\nb: ~\nc:\nd: {}\ne: []\n'],
    [
      'numbers and what only looks like them',
      'a: 007\nb: -1.5e3\nc: 1.2.3\nd: 10m\ne: 1_0\nf: .5\n',
    ],
    ['times, ports and addresses', 'a: 2026-01-01T10:00:00Z\nb: 10.0.0.1:80\nc: fd00::1\n'],
    ['yes and no, which are words', 'a: yes\nb: No\nc: True\n'],
  ])('%s is read as the library reads it', (_, text) => {
    expect(parsePlainYaml(text)).toEqual(parse(text))
  })

  test.each([
    ['flow style', 'a: {b: 1}'],
    ['anchors', 'a: &x 1\nb: *x'],
    ['folded text', 'a: one\n  two'],
    ['a quote over two lines', 'a: "one\n  two"'],
    ['a comment', 'a: 1 # one'],
    ['tags', 'a: !!str 1'],
    ['tabs', 'a:\tb'],
    ['two documents', 'a: 1\n---\nb: 2'],
    ['a line that hangs in the air', 'a: 1\n   b: 2'],
    ['a key of the prototype', '__proto__: 1'],
    ['nothing at all', '  \n'],
  ])('%s is left to the library', (_, text) => {
    expect(parsePlainYaml(text)).toBeUndefined()
  })

  test('whatever a writer of YAML writes', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '',
        ' ',
        'a: b',
        '- a',
        '#',
        'true',
        '0x1',
        '1e5',
        'a\nb',
        'a\n\n',
        "'",
        '"',
        '|',
        '~',
      ),
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        word,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.oneof(fc.constantFrom('a', 'b.c/d', 'x-y'), word), tie('tree'), {
          maxKeys: 4,
        }),
      ),
    }))
    fc.assert(
      fc.property(tree, fc.boolean(), (value, indentSeq) =>
        agrees(stringify(value, { indentSeq })),
      ),
      { numRuns: 2000 },
    )
  })

  test('lines put together at random: the library’s answer, or none', () => {
    const line = fc.constantFrom(
      'a:',
      'b: 1',
      '- c',
      '-',
      '- d: |',
      'e: |-',
      "f: 'x'",
      '',
      '#g',
      'h: "i',
      '- - j',
      'k : l',
      '- m:',
      'n: [',
      'o: - p',
    )
    const lines = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), line), { maxLength: 9 })
    fc.assert(
      fc.property(lines, (parts) => {
        const text = parts.map(([depth, part]) => ' '.repeat(depth * 2) + part).join('\n')
        const plain = parsePlainYaml(text)
        if (plain === undefined) return
        const document = parseDocument(text, { uniqueKeys: false })
        expect(document.errors).toEqual([])
        expect(plain).toEqual(document.toJS())
      }),
      { numRuns: 3000 },
    )
  })

  test('the cases, as their clusters wrote them', () => {
    const folder = new URL('../cases/', import.meta.url)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    for (const file of files.filter((name) => name.endsWith('.yaml')))
      for (const text of readFileSync(new URL(file, folder), 'utf8').split(/^---\n/m)) agrees(text)
  })
})
