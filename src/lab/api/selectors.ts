import type { ApiObject, Kind } from './kind.ts'
import { badRequest } from './status.ts'

export type Predicate = (object: ApiObject) => boolean

interface Requirement {
  key: string
  operator: 'in' | 'notin' | 'exists' | 'absent' | 'gt' | 'lt'
  values: string[]
}

/** `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`; 400 with Kubernetes' text when it is none. Undefined selects all. */
function labelSelector(text: string | null): Predicate | undefined {
  if (!text) return undefined
  const requirements = splitOutsideParentheses(text).map((part) => requirement(part, text))
  return (object) => requirements.every((r) => matches(r, object.metadata.labels ?? {}))
}

function matches({ key, operator, values }: Requirement, labels: Record<string, string>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  if (operator === 'exists') return value !== undefined
  if (operator === 'absent') return value === undefined
  if (operator === 'notin') return value === undefined || !values.includes(value)
  if (value === undefined) return false
  if (operator === 'in') return values.includes(value)
  return operator === 'gt' ? Number(value) > Number(values[0]) : Number(value) < Number(values[0])
}

const KEY = String.raw`(?:[A-Za-z0-9.-]+\/)?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?`
const VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$/
const PATTERN = new RegExp(
  `^(?:!\\s*(?<absent>${KEY})|(?<exists>${KEY})|(?<key>${KEY})\\s*(?:(?<compare>==|=|!=|>|<)\\s*(?<value>\\S*)|(?<set>in|notin)\\s*\\((?<list>[^()]*)\\)))$`,
)

function requirement(part: string, whole: string): Requirement {
  const found = PATTERN.exec(part.trim())?.groups
  if (!found)
    throw badRequest(
      `unable to parse requirement: found '${part.trim().split(/\s+/).at(-1) ?? ''}', expected: in, notin, =, ==, !=, gt, lt`,
    )
  if (found['absent']) return { key: found['absent'], operator: 'absent', values: [] }
  if (found['exists']) return { key: found['exists'], operator: 'exists', values: [] }
  const key = found['key']!
  const values = found['set'] ? found['list']!.split(',').map((v) => v.trim()) : [found['value']!]
  for (const value of values) {
    if (value.length <= 63 && VALUE.test(value)) continue
    throw badRequest(
      `unable to parse requirement: values[0][${key}]: Invalid value: "${value}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    )
  }
  if (found['set']) return { key, operator: found['set'] as 'in' | 'notin', values }
  const compare = found['compare']!
  if (compare === '>' || compare === '<') {
    if (!/^-?\d+$/.test(values[0]!))
      throw badRequest(
        `unable to parse requirement: values[0]: Invalid value: "${values[0]}": for 'Gt', 'Lt' operators, the value must be an integer in "${whole}"`,
      )
    return { key, operator: compare === '>' ? 'gt' : 'lt', values }
  }
  return { key, operator: compare === '!=' ? 'notin' : 'in', values }
}

function splitOutsideParentheses(text: string): string[] {
  return text.split(/,(?![^(]*\))/)
}

/** `a=b,c!=d` over metadata.name, metadata.namespace and what the kind's row adds. */
function fieldSelector(kind: Kind, text: string | null): Predicate | undefined {
  if (!text) return undefined
  const tests = text
    .split(',')
    .filter(Boolean)
    .map((part) => {
      const found = /^([^=!]+)(==|=|!=)(.*)$/.exec(part)
      if (!found) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`)
      const [, field, operator, value] = found as unknown as [string, string, string, string]
      const read = fieldReader(kind, field)
      return (object: ApiObject) => (read(object) === value) === (operator !== '!=')
    })
  return (object) => tests.every((test) => test(object))
}

function fieldReader(kind: Kind, field: string): (object: ApiObject) => string {
  if (field === 'metadata.name') return (object) => object.metadata.name
  if (field === 'metadata.namespace') return (object) => object.metadata.namespace ?? ''
  const read = kind.fields[field]
  if (read) return read
  throw badRequest(
    kind.builtIn && !Object.keys(kind.fields).length
      ? `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${field}`,
  )
}

/** Both selectors of a query as one; undefined when everything is selected. */
export function selectorOf(kind: Kind, query: URLSearchParams): Predicate | undefined {
  const byLabel = labelSelector(query.get('labelSelector'))
  const byField = fieldSelector(kind, query.get('fieldSelector'))
  if (!byLabel) return byField
  if (!byField) return byLabel
  return (object) => byLabel(object) && byField(object)
}
