import { describe, expect, test } from 'vitest'
import { isSatisfied, parseLabelSelector } from '../../../src/lab/api/label-selector.ts'
import { CORE, pod, startTestApi } from './harness.ts'

const FORM =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const NAME_FORM =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer"
const OPERATORS = 'in, notin, =, ==, !=, gt, lt'

/** What a kube-apiserver 1.36 said of them. */
test.each([
  ['=x', "found '=', expected: !, identifier, or 'end of string'"],
  [',a', "found ',', expected: !, identifier, or 'end of string'"],
  ['(a)', "found '(', expected: !, identifier, or 'end of string'"],
  ['a,', "found '', expected: identifier after ','"],
  ['a,,b', "found ',', expected: identifier after ','"],
  ['a=b=c', "found '=', expected: ',' or 'end of string'"],
  ['!a=b', "found '=', expected: ',' or 'end of string'"],
  ['a=b)', "found ')', expected: ',' or 'end of string'"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
  ['a b', `unable to parse requirement: found 'b', expected: ${OPERATORS}`],
  ['a!', `unable to parse requirement: found '!', expected: ${OPERATORS}`],
  ['a gt 5', `unable to parse requirement: found 'gt', expected: ${OPERATORS}`],
  ['a=(b)', "unable to parse requirement: found '(', expected: identifier"],
  ['a===b', "unable to parse requirement: found '=', expected: identifier"],
  ['a=!b', "unable to parse requirement: found '!', expected: identifier"],
  ['a in b', "unable to parse requirement: found 'b' expected: '('"],
  ['a notin', "unable to parse requirement: found '' expected: '('"],
  ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ['a in (!b)', "unable to parse requirement: found '!', expected: ',', ')' or identifier"],
  ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
  ['a in (b,', "unable to parse requirement: found '', expected: ',', or identifier"],
  ['a>b', `unable to parse requirement: values[0]: Invalid value: "b": ${INTEGER}`],
  ['a=-b', `unable to parse requirement: values[0][a]: Invalid value: "-b": ${FORM}`],
  ['a in (b,-c)', `unable to parse requirement: values[0][a]: Invalid value: "-c": ${FORM}`],
  ['-a=b', `unable to parse requirement: <nil>: Invalid value: "-a": ${NAME_FORM}`],
  [
    '/x=y',
    'unable to parse requirement: <nil>: Invalid value: "/x": prefix part must be non-empty',
  ],
  [
    'x/=y',
    `unable to parse requirement: <nil>: Invalid value: "x/": name part must be non-empty; ${NAME_FORM}`,
  ],
])('%j is no label selector', (text, message) => {
  expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ message }))
})

describe.each<[Record<string, string>, string[], string[]]>([
  [
    { a: 'b', n: '5' },
    [
      '',
      ' ',
      'a',
      'a=b',
      'a == b',
      'a!=c',
      'x!=y',
      '!x',
      'a in (b,c)',
      'a notin (c)',
      'a notin ()',
      'n>4',
      'n<6',
      'a=b ,n',
    ],
    [
      '!a',
      'a=',
      'a!=b',
      'x',
      'x=y',
      'a in (,)',
      'a in ()',
      'a notin (b)',
      'n>5',
      'a=b,x',
      'toString',
    ],
  ],
  [{ in: '', notin: 'in' }, ['in', 'in in (,x)', 'notin in (in)', 'in='], ['in in (in)']],
])('labels %j', (labels, selected, others) => {
  const matches = (text: string) =>
    parseLabelSelector(text).every((one) => isSatisfied(one, labels))
  test.each(selected)('are selected by %j', (text) => expect(matches(text)).toBe(true))
  test.each(others)('are not selected by %j', (text) => expect(matches(text)).toBe(false))
})

test.each([
  ['pods', 'a', "invalid selector: 'a'; can't understand 'a'"],
  ['pods', 'a=b,c', "invalid selector: 'a=b,c'; can't understand 'c'"],
  ['pods', '=b', 'field label not supported: '],
  ['pods', 'metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
  ['pods', 'metadata.name=a\\b', 'invalid field selector: invalid escape sequence: \\b'],
  ['pods', 'metadata.name=a\\', 'invalid field selector: invalid escape sequence: \\'],
  ['pods', 'toString=x', 'field label not supported: toString'],
  [
    'configmaps',
    'constructor=x',
    '"constructor" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
])('of %s, %j is no field selector', async (kind, selector, why) => {
  const { send } = await startTestApi()
  const { body } = await send(`${CORE}/${kind}?fieldSelector=${encodeURIComponent(selector)}`)
  expect(body).toMatchObject({ code: 400, reason: 'BadRequest' })
  expect(body.message).toContain(why)
})

test('a value in a field selector may be escaped', async () => {
  const { send } = await startTestApi()
  await send(`${CORE}/pods`, { body: pod('p') })
  const names = async (selector: string) => {
    const { body } = await send(`${CORE}/pods?fieldSelector=${encodeURIComponent(selector)}`)
    return body.items.map((one: { metadata: { name: string } }) => one.metadata.name)
  }
  expect(await names('metadata.name!=a\\,b,metadata.namespace==default')).toEqual(['p'])
  expect(await names('metadata.name=a\\,b')).toEqual([])
  expect(await names(',')).toEqual(['p'])
})
