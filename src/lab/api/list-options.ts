import { integerParameter, invalidOptions } from './call-options.ts'
import { badRequest, StatusError } from './status.ts'

/** What Kubernetes refuses of the options of a list or a watch (meta/v1 ListOptions) before it looks at any object. */
export function demandListOptions(query: URLSearchParams, isWatch: boolean): void {
  integerParameter(query, 'timeoutSeconds')
  demandMatch(query, isWatch)
  const version = query.get('resourceVersion') ?? ''
  if (query.get('continue') && version !== '' && version !== '0')
    throw badRequest('specifying resource version is not allowed when using continue')
  if (/^\d*$/.test(version)) return
  const value = JSON.stringify(version)
  const fault = `resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`
  // Nobody words the refusal of a watch.
  throw isWatch
    ? new StatusError(500, undefined, fault)
    : badRequest(`invalid resource version: ${fault}`)
}

function demandMatch(query: URLSearchParams, isWatch: boolean): void {
  const match = query.get('resourceVersionMatch')
  const initial = isWatch && query.has('sendInitialEvents')
  if (initial && match !== 'NotOlderThan')
    throw forbiddenMatch('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
  if (!match || initial) return
  if (isWatch)
    throw forbiddenMatch(
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    )
  if (!query.get('resourceVersion'))
    throw forbiddenMatch('resourceVersionMatch is forbidden unless resourceVersion is provided')
}

function forbiddenMatch(why: string): StatusError {
  return invalidOptions('ListOptions', {
    field: 'resourceVersionMatch',
    reason: 'FieldValueForbidden',
    message: `Forbidden: ${why}`,
  })
}

/** 504: a list of what is yet to come. */
export function tooLargeVersion(asked: number, current: number): StatusError {
  return new StatusError(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${asked}, current: ${current}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  )
}
