import { readFileSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { EXIT, MigError } from '../errors.ts'
import type { IssuedCredential } from './exec-plugin.ts'
import type { AuthProvider } from './target.ts'

/**
 * The token of an identity provider, renewed by client-node once it has expired. client-node is loaded here alone: it
 * costs a start as much as all the rest, and few users need it. A renewed token is not written to the kubeconfig.
 */
export function createOidcIssuer(authProvider: AuthProvider): () => Promise<IssuedCredential> {
  let kubeConfig: ReturnType<typeof load> | undefined
  return async () => {
    const options: { headers: Record<string, string> } = { headers: {} }
    try {
      kubeConfig ??= load(authProvider)
      await (await kubeConfig).applyToHTTPSOptions(options)
    } catch (err) {
      const issuer = authProvider.config['idp-issuer-url'] ?? authProvider.name
      throw new MigError(EXIT.error, `no token from ${issuer}: ${(err as Error).message}`, {
        cause: err,
        code: 'AUTHPROVIDER',
        hint: 'log in again with the tool that wrote the kubeconfig',
      })
    }
    const token = options.headers['Authorization']?.replace(/^Bearer /, '')
    return { token, cert: undefined, key: undefined, expires: token ? expiryOf(token) : 0 }
  }
}

/** Two defects of client-node 2.0 are walked around: it wants the address as a URL, and its own use of an authority fails. */
async function load({ name, config }: AuthProvider) {
  const {
    'idp-issuer-url': issuer,
    'idp-certificate-authority': caFile,
    'idp-certificate-authority-data': caData,
    ...rest
  } = config
  const ca = caData
    ? Buffer.from(caData, 'base64').toString()
    : caFile && readFileSync(caFile, 'utf8')
  // Connections to the API name their authorities themselves, so this reaches the provider's alone.
  if (ca) setDefaultCACertificates([...getCACertificates('default'), ca])
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js')
  const kubeConfig = new KubeConfig()
  const address = issuer && { 'idp-issuer-url': new URL(issuer) }
  kubeConfig.loadFromClusterAndUser(
    { name: 'cluster', server: 'https://localhost', skipTLSVerify: false },
    { name: 'user', authProvider: { name, config: { ...rest, ...address } } },
  )
  return kubeConfig
}

/** ms since the epoch, as the token itself says; client-node takes its lifetime for that time and would renew for ever. */
function expiryOf(token: string): number {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return claims.exp * 1000
  } catch {
    return 0
  }
}
