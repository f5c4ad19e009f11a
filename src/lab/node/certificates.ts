import { MIGRATION_CLIENT_NAME, SERVER_NAME } from '../../tls/names.ts'
import { createAuthority, type KeyPair } from '../certificates.ts'

const HOUR = 3600_000
const YEAR = 365 * 24 * HOUR

/**
 * The certificates of KubeVirt's virt-handlers, which all nodes share: one for the target's side, one for the source's
 * (fact sheet data-plane.md §2.3). All PEM. @param now ms since the epoch
 */
export async function handlerCertificates(
  now: number,
): Promise<{ ca: string; certificates: { server: KeyPair; client: KeyPair } }> {
  // A client's clock may differ a little from ours.
  const validity = { notBefore: now - HOUR, notAfter: now + YEAR }
  const authority = await createAuthority(`kubevirt.io@${Math.floor(now / 1000)}`, validity)
  const service = 'virt-handler.kubevirt'
  const [server, client] = await Promise.all([
    authority.issue({
      commonName: SERVER_NAME,
      usage: ['server'],
      names: ['virt-handler', service, `${service}.svc`, `${service}.svc.cluster.local`],
      ...validity,
    }),
    authority.issue({ commonName: MIGRATION_CLIENT_NAME, usage: ['client'], ...validity }),
  ])
  return { ca: authority.cert, certificates: { server, client } }
}
