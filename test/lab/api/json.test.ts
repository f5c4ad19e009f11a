import { expect, test } from 'vitest'
import { parseJson } from '../../../src/lab/api/json.ts'
import { CORE, startTestApi } from './harness.ts'

/** What Go 1.26 says of them. */
test.each([
  ['', 'unexpected end of JSON input'],
  ['{"data":', 'unexpected end of JSON input'],
  ['{"a"', 'unexpected end of JSON input'],
  ['"a', 'unexpected end of JSON input'],
  ['{"data":nope}', "invalid character 'o' in literal null (expecting 'u')"],
  ['nonsense', "invalid character 'o' in literal null (expecting 'u')"],
  ['xyz', "invalid character 'x' looking for beginning of value"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['{} {}', "invalid character '{' after top-level value"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['-a', "invalid character 'a' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['1ex', "invalid character 'x' in exponent of numeric literal"],
  ['01', "invalid character '1' after top-level value"],
])('%j is no JSON', (text, message) => {
  expect(() => parseJson(text)).toThrow(new SyntaxError(message))
})

const EVIL = [
  ['application/json', `{"metadata":{"name":"x"},"data":{"__proto__":{"evil":"1"}}}`],
  ['application/json', `{"metadata":{"name":"x"},"\\u005f_proto__":{"evil":"1"}}`],
  ['application/yaml', 'metadata: {name: x}\ndata: {__proto__: {evil: "1"}}\n'],
] as const
const PATCHES = [
  ['application/strategic-merge-patch+json', '{"metadata":{"__proto__":{"evil":"1"}}}'],
  ['application/merge-patch+json', '{"__proto__":{"evil":"1"}}'],
  ['application/json-patch+json', '[{"op":"add","path":"/__proto__/evil","value":"1"}]'],
  [
    'application/json-patch+json',
    '[{"op":"add","path":"/constructor/prototype/evil","value":"1"}]',
  ],
  [
    'application/apply-patch+yaml',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n__proto__: {evil: "1"}\n',
  ],
] as const

test('no request reaches the prototype of all objects', async () => {
  const { send } = await startTestApi()
  await send(`${CORE}/configmaps`, { body: { metadata: { name: 'a' }, data: { x: '1' } } })
  for (const [contentType, body] of EVIL) {
    const { status, body: refusal } = await send(`${CORE}/configmaps`, { body, contentType })
    expect([status, refusal.message]).toEqual([
      400,
      'this server takes no object with a member "__proto__"',
    ])
  }
  for (const [contentType, body] of PATCHES) {
    const path = `${CORE}/configmaps/a?fieldManager=me`
    const { status } = await send(path, { method: 'PATCH', contentType, body })
    expect([contentType, [400, 422].includes(status)]).toEqual([contentType, true])
  }
  expect((await send(`${CORE}/configmaps/a`)).body.data).toEqual({ x: '1' })
  expect(({} as Record<string, unknown>)['evil']).toBeUndefined()
})
