import { integerParameter } from '../call-options.ts'
import { badRequest, type FieldError, invalid } from '../status.ts'

/** What Kubernetes refuses of a request for logs (core/v1 PodLogOptions) before it looks at the pod. */
export function checkLogOptions(pod: string, query: URLSearchParams): void {
  const errors = [
    ...tooSmall(query, 'tailLines', 0),
    ...tooSmall(query, 'limitBytes', 1),
    ...since(query),
  ]
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, pod, errors)
}

function tooSmall(query: URLSearchParams, field: string, least: 0 | 1): FieldError[] {
  const value = integerParameter(query, field)
  if (value === undefined || value >= least) return []
  const must = least === 0 ? 'be greater than or equal to 0' : 'be greater than 0'
  return [{ field, reason: 'FieldValueInvalid', message: `Invalid value: ${value}: must ${must}` }]
}

function since(query: URLSearchParams): FieldError[] {
  const seconds = integerParameter(query, 'sinceSeconds')
  const time = query.get('sinceTime')
  if (time && Number.isNaN(Date.parse(time)))
    throw badRequest(
      `parsing time ${JSON.stringify(time)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(time)} as "2006"`,
    )
  if (seconds !== undefined && time)
    return [
      {
        field: '[]',
        reason: 'FieldValueForbidden',
        message: 'Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
      },
    ]
  return tooSmall(query, 'sinceSeconds', 1)
}
