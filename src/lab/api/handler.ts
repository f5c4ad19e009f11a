import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from './api.ts'
import { reader } from './api.ts'
import { type Authenticator, impersonate } from './authentication.ts'
import { isAllowed, refusalText } from './authorization.ts'
import { addWarning, replyError } from './reply.ts'
import { type RequestInfo, requestInfo } from './request-info.ts'
import { badRequest, forbidden, forbiddenPath, StatusError } from './status.ts'
import type { UserInfo } from './users.ts'

/** Who asks for what. */
export interface Asked {
  info: RequestInfo
  query: URLSearchParams
  user: UserInfo
}

/** One request on its way, and where the answer goes. */
export interface Call extends Asked {
  request: IncomingMessage
  response: ServerResponse
  /** Adds a Warning header to the response. */
  warn(message: string): void
}

/** Told of what is no refusal but a fault of this server; the client got a 500. */
export type OnFault = (err: unknown) => void

export type Route = (call: Call) => Promise<void> | void

/** Authenticates, authorises and hands on; whatever is thrown below becomes the response. */
export function createHandler(
  api: Api,
  authenticate: Authenticator,
  route: Route,
  onFault: OnFault,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const warn = (text: string) => addWarning(response, text)
    admit(api, authenticate, request)
      .then((asked) => route({ ...asked, request, response, warn }))
      .catch((err: unknown) => {
        if (!(err instanceof StatusError)) onFault(err)
        replyError(response, err)
      })
  }
}

/** Who asks for what; rejects with 400, 401 or 403. */
export async function admit(
  api: Api,
  authenticate: Authenticator,
  request: IncomingMessage,
): Promise<Asked> {
  const { info, query } = parseUrl(request)
  const read = reader(api)
  const asked = { ...info, name: info.name ?? selectedName(query) }
  const user = impersonate(
    request,
    authenticate(request),
    (who, resource, name, group = '') =>
      isAllowed(read, who, {
        isResource: true,
        verb: 'impersonate',
        group,
        resource,
        subresource: '',
        name,
        namespace: undefined,
        path: '',
      }),
    (who, mode) => refusal(who, { ...asked, verb: `impersonate-on:${mode}:${info.verb}` }),
  )
  if (!isAllowed(read, user, asked)) throw refusal(user, asked)
  return { info, query, user }
}

function refusal(user: UserInfo, asked: RequestInfo): StatusError {
  const { isResource, group, resource, name = '', verb, path } = asked
  return isResource
    ? forbidden({ group, plural: resource }, name, refusalText(user, asked))
    : forbiddenPath(`User "${user.name}" cannot ${verb} path "${path}"`)
}

/** Whoever may list one object may do it by a selector that names it. */
function selectedName(query: URLSearchParams): string | undefined {
  return /(?:^|,)metadata\.name==?([^,]+)/.exec(query.get('fieldSelector') ?? '')?.[1]
}

function parseUrl(request: IncomingMessage): { info: RequestInfo; query: URLSearchParams } {
  const [path = '/', search = ''] = (request.url ?? '/').split('?', 2)
  const query = new URLSearchParams(search)
  try {
    return { info: requestInfo(request.method ?? 'GET', path, query), query }
  } catch {
    throw badRequest(`invalid URL escape in ${JSON.stringify(path)}`)
  }
}
