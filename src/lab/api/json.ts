import { badRequest } from './status.ts'

/**
 * Reads JSON. @throws StatusError 400 for a member called `__proto__`: it would not be kept as one
 * @throws SyntaxError in the words of Go's encoding/json
 */
export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new SyntaxError(faultOf(text))
  }
  // Written with escapes, too.
  if (/__proto__|\\u/.test(text)) refusePrototypes(value)
  return value
}

/** Whatever it was read from. @throws StatusError 400 */
export function refusePrototypes(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, '__proto__'))
    throw badRequest('this server takes no object with a member "__proto__"')
  for (const member of Object.values(value)) refusePrototypes(member)
}

class Fault extends Error {}

/** What Go says of a text that is no JSON. */
function faultOf(text: string): string {
  const scanner = createScanner(text)
  try {
    scanner.value()
    scanner.end()
    return 'unexpected end of JSON input'
  } catch (err) {
    if (err instanceof Fault) return err.message
    throw err
  }
}

const ESCAPES = 'bfnrt\\/"'

function createScanner(text: string) {
  let at = 0
  const space = () => {
    while (' \t\r\n'.includes(text[at] ?? 'x')) at++
  }
  const fail = (why: string): never => {
    const sign = text[at]
    if (sign === undefined) throw new Fault('unexpected end of JSON input')
    throw new Fault(`invalid character ${quoted(sign)} ${why}`)
  }

  function value(): void {
    space()
    const sign = text[at] ?? ''
    if (sign === '{') object()
    else if (sign === '[') list()
    else if (sign === '"') string()
    else if (/[-0-9]/.test(sign)) number()
    else if (sign === 't') literal('true')
    else if (sign === 'f') literal('false')
    else if (sign === 'n') literal('null')
    else fail('looking for beginning of value')
  }

  function object(): void {
    at++
    space()
    if (text[at] === '}') return void at++
    for (;;) {
      space()
      if (text[at] !== '"') fail('looking for beginning of object key string')
      string()
      space()
      if (text[at] !== ':') fail('after object key')
      at++
      value()
      space()
      if (text[at] === '}') return void at++
      if (text[at] !== ',') fail('after object key:value pair')
      at++
    }
  }

  function list(): void {
    at++
    space()
    if (text[at] === ']') return void at++
    for (;;) {
      value()
      space()
      if (text[at] === ']') return void at++
      if (text[at] !== ',') fail('after array element')
      at++
    }
  }

  function string(): void {
    for (at++; text[at] !== '"'; at++) {
      if ((text[at] ?? '\0') < ' ') fail('in string literal')
      if (text[at] !== '\\') continue
      at++
      if (text[at] !== 'u') {
        if (!ESCAPES.includes(text[at] ?? '?')) fail('in string escape code')
        continue
      }
      for (let digit = 0; digit < 4; digit++) {
        at++
        if (!/[0-9A-Fa-f]/.test(text[at] ?? '?')) fail('in \\u hexadecimal character escape')
      }
    }
    at++
  }

  function number(): void {
    if (text[at] === '-') at++
    if (text[at] === '0') at++
    else digits('in numeric literal')
    if (text[at] === '.') {
      at++
      digits('after decimal point in numeric literal')
    }
    if (text[at] !== 'e' && text[at] !== 'E') return
    at++
    if (text[at] === '+' || text[at] === '-') at++
    digits('in exponent of numeric literal')
  }

  function digits(where: string): void {
    if (!/\d/.test(text[at] ?? '?')) fail(where)
    while (/\d/.test(text[at] ?? '?')) at++
  }

  function literal(word: string): void {
    for (const sign of word) {
      if (text[at] !== sign) fail(`in literal ${word} (expecting ${quoted(sign)})`)
      at++
    }
  }

  return {
    value,
    end(): void {
      space()
      if (at < text.length) fail('after top-level value')
    },
  }
}

/** As Go's quoteChar. */
function quoted(sign: string): string {
  if (sign === "'") return `'\\''`
  if (sign === '"') return `'"'`
  const inside = JSON.stringify(sign).slice(1, -1)
  return `'${inside}'`
}
