import { readFile } from 'node:fs/promises'
import type { Clock } from '../clock.ts'
import { EXIT, fileTrouble, MigError } from '../errors.ts'
import { type IssuedCredential, type PluginSurroundings, runExecPlugin } from './exec-plugin.ts'
import { createOidcIssuer } from './oidc.ts'
import { shareRun } from './share-run.ts'
import type { Impersonation, Target } from './target.ts'

/** What a request carries to say who asks. */
export interface Credentials {
  headers: Record<string, string | string[]>
  /** PEM. */
  cert?: string | undefined
  /** PEM. */
  key?: string | undefined
}

export interface CredentialSource {
  get(signal: AbortSignal): Promise<Credentials>
  /** After a 401: forgets these, so that the next `get` brings new ones. False when there are no others to be had. */
  renew(used: Credentials): boolean
}

/** In the order of kubectl: a token file or token, a user name, a credential plugin, an identity provider. */
export function createCredentials(
  target: Target,
  { clock, ...surroundings }: PluginSurroundings & { clock: Clock },
): CredentialSource {
  const { user } = target
  const fixed: Credentials = {
    headers: impersonationHeaders(user.impersonate),
    cert: user.cert,
    key: user.key,
  }
  const { tokenFile, token, basic, exec, authProvider } = user
  if (tokenFile !== undefined) {
    return unchanging(async () => bearing(fixed, await readToken(tokenFile)))
  }
  if (token !== undefined) return unchanging(async () => bearing(fixed, token))
  if (basic !== undefined) {
    const pair = Buffer.from(`${basic.username}:${basic.password}`).toString('base64')
    return unchanging(async () => authorized(fixed, `Basic ${pair}`))
  }
  if (exec !== undefined) {
    return renewable(clock, fixed, (signal) => runExecPlugin(exec, target, surroundings, signal))
  }
  if (authProvider !== undefined) {
    return renewable(clock, fixed, createOidcIssuer(authProvider))
  }
  return unchanging(async () => fixed)
}

function unchanging(get: CredentialSource['get']): CredentialSource {
  return { get, renew: () => false }
}

/** Keeps what was given until it expires or is refused; requests that come meanwhile share one run. */
function renewable(
  clock: Clock,
  fixed: Credentials,
  run: (signal: AbortSignal) => Promise<IssuedCredential>,
): CredentialSource {
  let held: { credentials: Credentials; expires: number } | undefined
  const renewed = shareRun(async (signal) => {
    const given = await run(signal)
    const pair = given.cert === undefined ? {} : { cert: given.cert, key: given.key }
    const credentials = bearing({ ...fixed, ...pair }, given.token)
    held = { credentials, expires: given.expires }
    return credentials
  })
  return {
    get: async (signal) =>
      held && held.expires > clock.now() ? held.credentials : await renewed(signal),
    renew: (used) => {
      if (held?.credentials === used) held = undefined
      return true
    },
  }
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (err) {
    throw new MigError(EXIT.error, `cannot read the token file ${file}: ${fileTrouble(err)}`, {
      cause: err,
      code: 'TOKENFILE',
    })
  }
}

function bearing(credentials: Credentials, token: string | undefined): Credentials {
  return token === undefined ? credentials : authorized(credentials, `Bearer ${token}`)
}

function authorized(credentials: Credentials, authorization: string): Credentials {
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
