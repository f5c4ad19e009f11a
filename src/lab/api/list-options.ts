import { integerParameter, invalidOptions } from './call-options.ts'
import { badRequest, type FieldError, StatusError } from './status.ts'

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
  const faults = isWatch ? watchFaults(query) : listFaults(query)
  if (faults.length > 0) throw invalidOptions('ListOptions', ...faults)
}

function watchFaults(query: URLSearchParams): FieldError[] {
  const match = query.get('resourceVersionMatch')
  const initial = query.has('sendInitialEvents')
  const faults: FieldError[] = []
  if (initial && match !== 'NotOlderThan')
    faults.push(
      forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    )
  if (!match) return faults
  if (!initial)
    faults.push(
      forbidden(
        MATCH,
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    )
  if (match !== 'NotOlderThan') faults.push(unsupported(MATCH, match, ['NotOlderThan']))
  if (query.get('continue')) faults.push(forbidden(MATCH, WITH_CONTINUE))
  return faults
}

function listFaults(query: URLSearchParams): FieldError[] {
  const match = query.get('resourceVersionMatch')
  const version = query.get('resourceVersion')
  const faults: FieldError[] = []
  if (match) {
    if (!version)
      faults.push(
        forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
      )
    if (query.get('continue')) faults.push(forbidden(MATCH, WITH_CONTINUE))
    if (match !== 'Exact' && match !== 'NotOlderThan')
      faults.push(unsupported(MATCH, match, ['Exact', 'NotOlderThan', '']))
    if (match === 'Exact' && version === '0')
      faults.push(
        forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      )
  }
  if (query.has('sendInitialEvents'))
    faults.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  return faults
}

const MATCH = 'resourceVersionMatch'
const WITH_CONTINUE = 'resourceVersionMatch is forbidden when continue is provided'

function forbidden(field: string, why: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` }
}

function unsupported(field: string, value: string, supported: string[]): FieldError {
  const list = supported.map((one) => JSON.stringify(one)).join(', ')
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`
  return { field, reason: 'FieldValueNotSupported', message }
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
