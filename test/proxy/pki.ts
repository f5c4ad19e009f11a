import { createAuthority, type KeyPair } from '../../src/lab/certificates.ts'
import type { ProxyTls } from '../../src/proxy/tls.ts'
import { MIGRATION_CLIENT_NAME, SERVER_NAME } from '../../src/tls/names.ts'

const HOUR = 3_600_000

export interface TestPki extends ProxyTls {
  ca: string
  server: KeyPair
  client: KeyPair
  issue(
    commonName: string,
    usage: 'server' | 'client',
    dates?: { notBefore: number; notAfter: number },
  ): Promise<KeyPair>
}

/** An authority of its own, with what KubeVirt's handlers have, valid now. */
export async function testPki(): Promise<TestPki> {
  const now = Math.floor(Date.now() / 1000) * 1000
  const dates = { notBefore: now - HOUR, notAfter: now + HOUR }
  const authority = await createAuthority(
    `kubevirt.io@${now / 1000 - Math.floor(Math.random() * 1e6)}`,
    dates,
  )
  const issue: TestPki['issue'] = (commonName, usage, own = dates) =>
    authority.issue({ commonName, usage: [usage], ...own })
  return {
    ca: authority.cert,
    server: await issue(SERVER_NAME, 'server'),
    client: await issue(MIGRATION_CLIENT_NAME, 'client'),
    issue,
  }
}
