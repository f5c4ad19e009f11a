import { readFile } from 'node:fs/promises'
import type { Impersonation, Target } from './target.ts'

/** What a request carries to say who asks. */
export interface Credentials {
  headers: Record<string, string | string[]>
  /** PEM. */
  cert?: string
  /** PEM. */
  key?: string
}

export interface CredentialSource {
  get(signal: AbortSignal): Promise<Credentials>
  /** After a 401: forgets what may be renewed. False when there is nothing to renew. */
  renew(): boolean
}

export function createCredentials({ user }: Target): CredentialSource {
  const fixed: Credentials = {
    headers: { ...impersonationHeaders(user.impersonate) },
    ...(user.cert !== undefined && { cert: user.cert }),
    ...(user.key !== undefined && { key: user.key }),
  }
  return {
    get: async () => {
      const token = user.tokenFile ? (await readFile(user.tokenFile, 'utf8')).trim() : user.token
      return token === undefined ? fixed : withHeader(fixed, `Bearer ${token}`)
    },
    renew: () => false,
  }
}

function withHeader(credentials: Credentials, authorization: string): Credentials {
  return { ...credentials, headers: { ...credentials.headers, authorization } }
}

function impersonationHeaders(as: Impersonation): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  if (as.user !== undefined) headers['impersonate-user'] = as.user
  if (as.groups.length > 0) headers['impersonate-group'] = as.groups
  if (as.uid !== undefined) headers['impersonate-uid'] = as.uid
  for (const [key, values] of Object.entries(as.extra))
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = values
  return headers
}
