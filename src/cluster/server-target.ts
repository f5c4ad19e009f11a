import { booleanField, pemField, textField } from './entry-fields.ts'
import { checkCertificate } from './key-pair.ts'
import { type Entry, malformed } from './kubeconfig.ts'
import { proxyFromEnvironment } from './proxy-environment.ts'
import type { ServerTarget } from './target.ts'

/** Where a credential plugin's own settings stand among a cluster's extensions. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec'

const PROXY_PROTOCOLS = ['http:', 'https:', 'socks5:', 'socks5h:']

/** A cluster of a kubeconfig, read and checked. */
export function readServer(cluster: Entry, env: NodeJS.ProcessEnv): ServerTarget {
  const ca = pemField(cluster, 'certificate-authority')
  if (ca) checkCertificate(ca, `the authority of cluster "${cluster.name}"`)
  const skipTlsVerify = booleanField(cluster, 'insecure-skip-tls-verify')
  if (skipTlsVerify && ca) {
    throw malformed(
      cluster.at('insecure-skip-tls-verify'),
      `cluster "${cluster.name}" has both an authority and insecure-skip-tls-verify`,
    )
  }
  const url = readUrl(cluster, skipTlsVerify || ca !== undefined)
  return {
    url: url.href.replace(/\/+$/, ''),
    ca: ca?.text,
    tlsServerName: textField(cluster, 'tls-server-name'),
    skipTlsVerify,
    proxyUrl: readProxy(cluster) ?? proxyFromEnvironment(url, env),
    execConfig: readExecConfig(cluster),
  }
}

/** An address without a scheme is https where TLS is configured, else http, as in kubectl. */
function readUrl(cluster: Entry, secure: boolean): URL {
  const server = textField(cluster, 'server')
  if (server === undefined)
    throw malformed(cluster.at(), `cluster "${cluster.name}" has no "server"`)
  const url = parseUrl(server.includes('://') ? server : `http${secure ? 's' : ''}://${server}`)
  if (url && ['http:', 'https:'].includes(url.protocol)) return url
  throw malformed(cluster.at('server'), '"server" must be a URL such as https://HOST:6443')
}

function readProxy(cluster: Entry): string | undefined {
  const proxy = textField(cluster, 'proxy-url')
  if (proxy === undefined || PROXY_PROTOCOLS.includes(parseUrl(proxy)?.protocol ?? '')) return proxy
  throw malformed(cluster.at('proxy-url'), '"proxy-url" must be an http, https or socks5 URL')
}

function readExecConfig(cluster: Entry): unknown {
  const extensions = cluster.fields['extensions']
  if (!Array.isArray(extensions)) return undefined
  return extensions.find((extension) => extension?.name === EXEC_EXTENSION)?.extension
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
