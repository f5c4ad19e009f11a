import { labelKeyFaults, labelValueFaults } from './formats.ts'
import { badRequest } from './status.ts'

/** A label selector, parsed: all must hold. */
export interface Requirement {
  key: string
  operator: 'in' | 'notin' | 'exists' | 'absent' | 'gt' | 'lt'
  values: string[]
}

export function isSatisfied(
  { key, operator, values }: Requirement,
  labels: Record<string, string>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  if (operator === 'exists') return value !== undefined
  if (operator === 'absent') return value === undefined
  if (operator === 'notin') return value === undefined || !values.includes(value)
  if (value === undefined) return false
  if (operator === 'in') return values.includes(value)
  return operator === 'gt' ? Number(value) > Number(values[0]) : Number(value) < Number(values[0])
}

/**
 * `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. The grammar and the words of its refusals are those of
 * k8s.io/apimachinery/pkg/labels. @throws StatusError 400
 */
export function parseLabelSelector(text: string): Requirement[] {
  const tokens = createTokens(text)
  const requirements: Requirement[] = []
  for (;;) {
    const { kind, word } = tokens.peek()
    if (kind === 'end') return requirements
    if (kind !== 'word' && kind !== '!')
      throw badRequest(`found '${word}', expected: !, identifier, or 'end of string'`)
    try {
      requirements.push(requirement(tokens))
    } catch (err) {
      if (err instanceof Fault) throw badRequest(`unable to parse requirement: ${err.message}`)
      throw err
    }
    const next = tokens.take()
    if (next.kind === 'end') return requirements
    if (next.kind !== ',')
      throw badRequest(`found '${next.word}', expected: ',' or 'end of string'`)
    const after = tokens.peek()
    if (after.kind !== 'word' && after.kind !== '!')
      throw badRequest(`found '${after.word}', expected: identifier after ','`)
  }
}

class Fault extends Error {}

interface Token {
  /** A symbol is its own kind. */
  kind: 'word' | 'end' | (typeof SYMBOLS)[number]
  word: string
}

interface Tokens {
  peek(): Token
  take(): Token
}

const SYMBOLS = ['==', '!=', '=', '!', '(', ')', ',', '>', '<'] as const

function createTokens(text: string): Tokens {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at)
    const symbol = SYMBOLS.find((one) => rest.startsWith(one))
    const word = symbol ?? /^(\s+|[^\s=!(),<>]+)/.exec(rest)?.[0] ?? ''
    if (word.trim() !== '') tokens.push({ kind: symbol ?? 'word', word })
    at += word.length
  }
  const end: Token = { kind: 'end', word: '' }
  return { peek: () => tokens[0] ?? end, take: () => tokens.shift() ?? end }
}

const OPERATORS: Record<string, Requirement['operator']> = {
  in: 'in',
  notin: 'notin',
  '=': 'in',
  '==': 'in',
  '!=': 'notin',
  '>': 'gt',
  '<': 'lt',
}

function requirement(tokens: Tokens): Requirement {
  const absent = tokens.peek().kind === '!'
  if (absent) tokens.take()
  const { kind, word: key } = tokens.take()
  if (kind !== 'word') throw new Fault(`found '${key}', expected: identifier`)
  const bad = labelKeyFaults(key)
  if (bad.length > 0)
    throw new Fault(`<nil>: Invalid value: ${JSON.stringify(key)}: ${bad.join('; ')}`)
  if (absent) return { key, operator: 'absent', values: [] }
  if (['end', ','].includes(tokens.peek().kind)) return { key, operator: 'exists', values: [] }

  const sign = tokens.take()
  const operator = Object.hasOwn(OPERATORS, sign.word) ? OPERATORS[sign.word] : undefined
  if (!operator) throw new Fault(`found '${sign.word}', expected: in, notin, =, ==, !=, gt, lt`)
  const values = sign.kind === 'word' ? set(tokens) : [exact(tokens)]
  checkValues(key, operator, values)
  return { key, operator, values }
}

/** `(a,b)`; nothing between two commas is an empty value, nothing between the parentheses is none. */
function set(tokens: Tokens): string[] {
  const first = tokens.take()
  if (first.kind !== '(') throw new Fault(`found '${first.word}' expected: '('`)
  if (tokens.peek().kind === ')') {
    tokens.take()
    return []
  }
  if (!['word', ','].includes(tokens.peek().kind))
    throw new Fault(`found '${tokens.peek().word}', expected: ',', ')' or identifier`)
  const values = new Set<string>()
  for (let isAfterComma = true; ; ) {
    const { kind, word } = tokens.take()
    if (kind === 'word') {
      values.add(word)
      if (![',', ')'].includes(tokens.peek().kind))
        throw new Fault(`found '${tokens.peek().word}', expected: ',' or ')'`)
      isAfterComma = false
    } else if (kind === ',') {
      if (isAfterComma) values.add('')
      isAfterComma = true
    } else if (kind === ')') {
      if (isAfterComma) values.add('')
      return [...values].sort()
    } else throw new Fault(`found '${word}', expected: ',', or identifier`)
  }
}

function exact(tokens: Tokens): string {
  if (['end', ','].includes(tokens.peek().kind)) return ''
  const { kind, word } = tokens.take()
  if (kind !== 'word') throw new Fault(`found '${word}', expected: identifier`)
  return word
}

function checkValues(key: string, operator: Requirement['operator'], values: string[]): void {
  const faults = values.flatMap((value, i) => {
    const quoted = JSON.stringify(value)
    const number =
      (operator === 'gt' || operator === 'lt') && !/^[+-]?\d+$/.test(value)
        ? [
            `values[${i}]: Invalid value: ${quoted}: for 'Gt', 'Lt' operators, the value must be an integer`,
          ]
        : []
    const form = labelValueFaults(value)
    return form.length === 0
      ? number
      : [...number, `values[${i}][${key}]: Invalid value: ${quoted}: ${form.join('; ')}`]
  })
  if (faults.length > 0) throw new Fault(faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`)
}
