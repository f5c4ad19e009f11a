/**
 * Refusals as the Kubernetes API words them: a Status object with code, reason, message and details.
 * Texts and reasons are those of k8s.io/apimachinery (api/errors), which clients and people match on.
 */

interface StatusCause {
  reason?: string
  message: string
  field?: string
}

export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: StatusCause[]
  retryAfterSeconds?: number
}

export interface Status {
  kind: 'Status'
  apiVersion: 'v1'
  metadata: { continue?: string }
  status: 'Success' | 'Failure'
  message?: string
  reason?: string
  details?: StatusDetails
  code?: number
}

/** What a resource is called in messages: `virtualmachineinstances.kubevirt.io`, or `pods` in the core group. */
export interface ResourceName {
  group: string
  plural: string
}

/** Thrown anywhere below the router, which turns it into the response. */
export class StatusError extends Error {
  readonly status: Status

  constructor(
    code: number,
    reason: string | undefined,
    message: string,
    details?: StatusDetails,
    metadata: { continue?: string } = {},
  ) {
    super(message)
    this.name = 'StatusError'
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    }
  }
}

function qualified({ group, plural }: ResourceName): string {
  return group === '' ? plural : `${plural}.${group}`
}

function about({ group, plural }: ResourceName, name: string): StatusDetails {
  return { name, ...(group === '' ? {} : { group }), kind: plural }
}

export function notFound(resource: ResourceName, name: string): StatusError {
  return new StatusError(
    404,
    'NotFound',
    `${qualified(resource)} "${name}" not found`,
    about(resource, name),
  )
}

/** No such path, kind or subresource. */
export function noSuchResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {})
}

export function alreadyExists(resource: ResourceName, name: string): StatusError {
  return new StatusError(
    409,
    'AlreadyExists',
    `${qualified(resource)} "${name}" already exists`,
    about(resource, name),
  )
}

export function conflict(resource: ResourceName, name: string, why: string): StatusError {
  return new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    about(resource, name),
  )
}

export function modified(resource: ResourceName, name: string): StatusError {
  return conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  )
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message)
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized')
}

export function forbidden(resource: ResourceName, name: string, why: string): StatusError {
  const subject = name === '' ? qualified(resource) : `${qualified(resource)} "${name}"`
  return new StatusError(
    403,
    'Forbidden',
    `${subject} is forbidden: ${why}`,
    name === ''
      ? { ...(resource.group ? { group: resource.group } : {}), kind: resource.plural }
      : about(resource, name),
  )
}

export function forbiddenPath(why: string): StatusError {
  return new StatusError(403, 'Forbidden', `forbidden: ${why}`, {})
}

export interface FieldError {
  field: string
  /** FieldValueRequired, FieldValueInvalid, FieldValueForbidden, FieldValueNotSupported … */
  reason: string
  message: string
}

/** 422 with one cause a field; `kind` is the kind's name, as Kubernetes writes it here (not the plural). */
export function invalid(
  { group, kind }: { group: string; kind: string },
  name: string,
  errors: FieldError[],
): StatusError {
  const lines = [...new Set(errors.map((e) => `${e.field}: ${e.message}`))]
  const text = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`
  return new StatusError(
    422,
    'Invalid',
    `${group === '' ? kind : `${kind}.${group}`} "${name}" is invalid: ${text}`,
    {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      ...(kind === '' ? {} : { kind }),
      causes: errors,
    },
  )
}

/** A well-formed patch that does not fit the object: a failed `test`, a path that is not there. */
export function unprocessablePatch(): StatusError {
  return new StatusError(
    422,
    'Invalid',
    'the server rejected our request due to an error in our request',
    {},
  )
}

export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  )
}

/** What a custom resource has no verb for. */
export function verbNotSupported(resource: ResourceName, verb: string): StatusError {
  const { group, plural } = resource
  return new StatusError(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind ${JSON.stringify(qualified(resource))}`,
    { ...(group ? { group } : {}), kind: plural },
  )
}

export function expired(message: string, continuation?: string): StatusError {
  return new StatusError(
    410,
    'Expired',
    message,
    undefined,
    continuation ? { continue: continuation } : {},
  )
}

export function internalError(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
  })
}

export function notAcceptable(accepted: string[]): StatusError {
  return new StatusError(
    406,
    'NotAcceptable',
    `only the following media types are accepted: ${accepted.join(', ')}`,
  )
}

export function unsupportedMediaType(accepted: string[]): StatusError {
  return new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
}
