import { EXIT, MigError } from '../errors.ts'
import { shareRun } from './share-run.ts'
import type { AuthProvider } from './target.ts'

/**
 * The token of an identity provider, refreshed by client-node once it has expired. client-node is loaded here alone: it
 * costs a start as much as all the rest, and few users need it.
 */
export function createOidcSource(
  authProvider: AuthProvider,
): (signal: AbortSignal) => Promise<string | undefined> {
  let kubeConfig: ReturnType<typeof load> | undefined
  return shareRun(async () => {
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
    return options.headers['Authorization']?.replace(/^Bearer /, '')
  })
}

async function load(authProvider: AuthProvider) {
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js')
  const kubeConfig = new KubeConfig()
  kubeConfig.loadFromClusterAndUser(
    { name: 'cluster', server: 'https://localhost', skipTLSVerify: false },
    { name: 'user', authProvider },
  )
  return kubeConfig
}
