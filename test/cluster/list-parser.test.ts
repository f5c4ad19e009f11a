import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseList } from '../../src/cluster/list-parser.ts'

async function* inPieces(text: string, length: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}

const parse = (text: string, length = 7, keep: (item: unknown) => boolean = () => true) =>
  parseList(inPieces(text, length), keep)

const list = (items: unknown[]) => ({ kind: 'PodList', metadata: { continue: 'x' }, items })

describe('a list that is parsed as it comes', () => {
  test('is what JSON.parse makes of it, wherever the pieces end and however it is spaced', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(undefined, 2),
        async (items, length, space) => {
          const text = JSON.stringify(list(items), undefined, space)
          expect(await parse(text, length)).toEqual(JSON.parse(text))
        },
      ),
    )
  })

  test('may tell its kind and metadata behind the items, as of custom resources', async () => {
    const text =
      '{"apiVersion":"v1","items":[{"a":1},{"a":2}],"kind":"L","metadata":{"continue":""}}'
    expect(await parse(text, 3)).toEqual(JSON.parse(text))
  })

  test('has only the items that are to be kept', async () => {
    const text = JSON.stringify(list([{ n: 1 }, { n: 2 }, { n: 3 }]))
    const odd = (item: unknown) => (item as { n: number }).n % 2 === 1
    expect(await parse(text, 5, odd)).toEqual(list([{ n: 1 }, { n: 3 }]))
    expect(await parse(text, 5, () => false)).toEqual(list([]))
  })

  test('takes only the list of its own items for one', async () => {
    const text = JSON.stringify({ metadata: { items: [{ n: 1 }] }, items: [{ items: [{ n: 2 }] }] })
    expect(await parse(text, 4)).toEqual(JSON.parse(text))
  })

  test.each(['{"items":null}', '[{"a":1}]', '"text"', '{"kind":"Status","code":1}'])(
    'is something else as it stands: %s',
    async (text) => {
      expect(await parse(text)).toEqual(JSON.parse(text))
    },
  )

  test('is nothing where nothing came', async () => {
    expect(await parse('')).toBeUndefined()
  })

  test.each(['{"items":[{"a":1},{"a"', '{"items":[{"a":1}]', '{"items":[{"a":}]}', '<html>'])(
    'is no JSON: %s',
    async (text) => {
      await expect(parse(text)).rejects.toBeInstanceOf(SyntaxError)
    },
  )
})
