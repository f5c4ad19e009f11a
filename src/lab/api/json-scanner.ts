const ESCAPES = 'bfnrt\\/"'

/** What is met on the way; paths are as `spec.containers[0].name`. */
export interface JsonVisitor {
  /** `again`: the object has had a member of this name. */
  member?(path: string, again: boolean): void
  number?(path: string, literal: string): void
}

/** Why a text is no JSON, in the words of Go's encoding/json. */
export class JsonFault extends Error {}

/** Reads a JSON text from end to end. @throws JsonFault where it is none */
export function scanJson(text: string, visitor: JsonVisitor): void {
  let at = 0
  const space = () => {
    while (' \t\r\n'.includes(text[at] ?? 'x')) at++
  }
  const fail = (why: string): never => {
    const sign = text[at]
    if (sign === undefined) throw new JsonFault('unexpected end of JSON input')
    throw new JsonFault(`invalid character ${quoted(sign)} ${why}`)
  }

  value('')
  space()
  if (at < text.length) fail('after top-level value')

  function value(path: string): void {
    space()
    const sign = text[at] ?? ''
    if (sign === '{') object(path)
    else if (sign === '[') list(path)
    else if (sign === '"') string()
    else if (/[-0-9]/.test(sign)) number(path)
    else if (sign === 't') literal('true')
    else if (sign === 'f') literal('false')
    else if (sign === 'n') literal('null')
    else fail('looking for beginning of value')
  }

  function object(path: string): void {
    at++
    space()
    if (text[at] === '}') return void at++
    const names = new Set<string>()
    for (;;) {
      space()
      if (text[at] !== '"') fail('looking for beginning of object key string')
      const from = at
      string()
      const name = JSON.parse(text.slice(from, at)) as string
      const of = path === '' ? name : `${path}.${name}`
      visitor.member?.(of, names.has(name))
      names.add(name)
      space()
      if (text[at] !== ':') fail('after object key')
      at++
      value(of)
      space()
      if (text[at] === '}') return void at++
      if (text[at] !== ',') fail('after object key:value pair')
      at++
    }
  }

  function list(path: string): void {
    at++
    space()
    if (text[at] === ']') return void at++
    for (let index = 0; ; index++) {
      value(`${path}[${index}]`)
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

  function number(path: string): void {
    const from = at
    numeral()
    visitor.number?.(path, text.slice(from, at))
  }

  function numeral(): void {
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
}

/** As Go's quoteChar. */
function quoted(sign: string): string {
  if (sign === "'") return `'\\''`
  if (sign === '"') return `'"'`
  const inside = /[\x7f-\x9f]/.test(sign)
    ? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
    : JSON.stringify(sign).slice(1, -1)
  return `'${inside}'`
}
