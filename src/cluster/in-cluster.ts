import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { proxyFromEnvironment } from './proxy-environment.ts'
import { ANONYMOUS, type Target } from './target.ts'

/** Where every pod finds its service account. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/** The cluster of the pod that this runs in; undefined when it runs in none. */
export function inClusterTarget(
  env: NodeJS.ProcessEnv,
  folder: string = SERVICE_ACCOUNT,
): Target | undefined {
  const host = env['KUBERNETES_SERVICE_HOST']
  const port = env['KUBERNETES_SERVICE_PORT']
  const tokenFile = join(folder, 'token')
  if (!host || !port || read(tokenFile) === undefined) return undefined
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  return {
    context: undefined,
    namespace: read(join(folder, 'namespace'))?.trim() || 'default',
    server: {
      url,
      ca: read(join(folder, 'ca.crt')),
      tlsServerName: undefined,
      skipTlsVerify: false,
      proxyUrl: proxyFromEnvironment(new URL(url), env),
      execConfig: undefined,
    },
    user: { ...ANONYMOUS, name: 'the service account of this pod', tokenFile },
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
