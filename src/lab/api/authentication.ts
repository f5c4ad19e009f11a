import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { badRequest, type StatusError, unauthorized } from './status.ts'
import type { LabUser, UserInfo } from './users.ts'

export type Authenticator = (request: IncomingMessage) => UserInfo

/**
 * By bearer token, else by client certificate (Common Name the user, organizations the groups); without either the
 * anonymous user. A wrong token is 401 even beside a good certificate, as in Kubernetes.
 */
export function createAuthenticator(users: LabUser[]): Authenticator {
  // By digest: a lookup by the token itself would tell its bytes by time.
  const byDigest = new Map(users.map((user) => [digest(user.token), publicPart(user)]))
  return (request) => {
    // Any other scheme is one that this server doesn't know: as if it weren't there.
    const token = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token !== undefined) {
      const user = byDigest.get(digest(token))
      if (!user) throw unauthorized()
      return user
    }
    return (
      certificateUser(request.socket as TLSSocket) ?? {
        name: 'system:anonymous',
        groups: ['system:unauthenticated'],
      }
    )
  }
}

function publicPart({ name, groups, extra }: LabUser): UserInfo {
  return { name, groups, ...(extra ? { extra } : {}) }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}

function certificateUser(socket: TLSSocket): UserInfo | undefined {
  if (!socket.authorized) return undefined
  // Node types both as one string; a subject with several organizations gives an array.
  const { CN, O } = socket.getPeerCertificate().subject as { CN?: string; O?: string | string[] }
  if (!CN) return undefined
  return { name: CN, groups: [...(O === undefined ? [] : [O].flat()), 'system:authenticated'] }
}

/**
 * The user that the Impersonate-* headers ask for, when `may` allows it to the one who asks; else what `refusal` makes
 * of the mode of impersonation that Kubernetes tries last.
 * Impersonating nobody returns the user itself.
 */
export function impersonate(
  request: IncomingMessage,
  user: UserInfo,
  may: (user: UserInfo, resource: string, name: string, group?: string) => boolean,
  refusal: (user: UserInfo, mode: string) => StatusError,
): UserInfo {
  const name = header(request, 'impersonate-user')[0]
  const uid = header(request, 'impersonate-uid')[0] ?? ''
  const groups = header(request, 'impersonate-group')
  const extra = extras(request)
  if (name === undefined) {
    if (uid !== '' || groups.length > 0 || Object.keys(extra).length > 0)
      throw badRequest(`requested ${goUser(uid, groups, extra)} without impersonating a user name`)
    return user
  }
  const demand = (resource: string, value: string, group = '') => {
    if (may(user, resource, value, group)) return
    throw refusal(user, impersonationMode(name))
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name)
  demand(account ? 'serviceaccounts' : 'users', account ? account[2]! : name)
  for (const group of groups) demand('groups', group)
  for (const [key, values] of Object.entries(extra))
    for (const value of values) demand(`userextras/${key}`, value, 'authentication.k8s.io')
  const implied = account ? ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`] : []
  const all = groups.length > 0 ? groups : implied
  return {
    name,
    groups: name === 'system:anonymous' ? all : [...new Set([...all, 'system:authenticated'])],
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  }
}

function impersonationMode(name: string): string {
  if (name.startsWith('system:serviceaccount:')) return 'serviceaccount'
  return name.startsWith('system:node:') ? 'arbitrary-node' : 'user-info'
}

/** As Go prints a user without a name. */
function goUser(uid: string, groups: string[], extra: Record<string, string[]>): string {
  const list = (values: string[]) => `[]string{${values.map((v) => JSON.stringify(v)).join(', ')}}`
  const entries = Object.entries(extra).map(
    ([key, value]) => `${JSON.stringify(key)}:${list(value)}`,
  )
  const groupText = groups.length > 0 ? list(groups) : '[]string(nil)'
  const extraText = `map[string][]string${entries.length > 0 ? `{${entries.join(', ')}}` : '(nil)'}`
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${groupText}, Extra:${extraText}}`
}

function header(request: IncomingMessage, name: string): string[] {
  return request.headersDistinct[name] ?? []
}

function extras(request: IncomingMessage): Record<string, string[]> {
  const prefix = 'impersonate-extra-'
  const found: Record<string, string[]> = {}
  for (const [name, values] of Object.entries(request.headersDistinct))
    if (name.startsWith(prefix) && values)
      found[decodeURIComponent(name.slice(prefix.length))] = values
  return found
}
