import type { ApiObject, Kind } from './kind.ts'
import { isSatisfied, parseLabelSelector } from './label-selector.ts'
import { badRequest } from './status.ts'

export type Predicate = (object: ApiObject) => boolean

/** Undefined selects all. */
function labelSelector(text: string | null): Predicate | undefined {
  if (!text) return undefined
  const requirements = parseLabelSelector(text)
  return ({ metadata }) => requirements.every((one) => isSatisfied(one, metadata.labels ?? {}))
}

/**
 * `a=b,c!=d` over metadata.name, metadata.namespace and what the kind's row adds; `\\`, `\,` and `\=` stand for what follows
 * the stroke (k8s.io/apimachinery/pkg/fields).
 */
function fieldSelector(kind: Kind, text: string | null): Predicate | undefined {
  if (!text) return undefined
  const terms = text.match(/(?:\\.|[^,\\]|\\$)+/gs) ?? []
  const parsed = terms.map((term) => {
    const found = /^([^=!]*?)(==|!=|=)(.*)$/s.exec(term)
    if (!found) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`)
    const [, field = '', operator = '', value = ''] = found
    return { field, operator, wanted: unescaped(value) }
  })
  const tests = parsed.map(({ field, operator, wanted }) => {
    const read = fieldReader(kind, field)
    return (object: ApiObject) => (read(object) === wanted) === (operator !== '!=')
  })
  return (object) => tests.every((test) => test(object))
}

function unescaped(value: string): string {
  return value.replaceAll(/\\(.|$)|[,=]/gs, (found, escaped?: string) => {
    if (escaped === undefined)
      throw badRequest(
        `invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`,
      )
    if (!['\\', ',', '='].includes(escaped))
      throw badRequest(`invalid field selector: invalid escape sequence: ${found}`)
    return escaped
  })
}

function fieldReader(kind: Kind, field: string): (object: ApiObject) => string {
  if (field === 'metadata.name') return (object) => object.metadata.name
  if (field === 'metadata.namespace') return (object) => object.metadata.namespace ?? ''
  const read = Object.hasOwn(kind.fields, field) ? kind.fields[field] : undefined
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
