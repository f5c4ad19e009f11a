import { booleanField, pemField, textField } from './entry-fields.ts'
import { type Entry, malformed } from './kubeconfig.ts'
import type { ServerTarget } from './target.ts'

export function readServer(cluster: Entry): ServerTarget {
  const server = textField(cluster, 'server')
  if (server === undefined) throw malformed(cluster.at(), `cluster "${cluster.name}" has no server`)
  return {
    url: server.replace(/\/+$/, ''),
    ca: pemField(cluster, 'certificate-authority')?.text,
    tlsServerName: textField(cluster, 'tls-server-name'),
    skipTlsVerify: booleanField(cluster, 'insecure-skip-tls-verify'),
    proxyUrl: textField(cluster, 'proxy-url'),
    execConfig: undefined,
  }
}
