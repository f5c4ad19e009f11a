import { MIGRATION_CLIENT_NAME, SERVER_NAME } from '../../tls/names.ts'
import { type Authority, createAuthority, type KeyPair } from '../certificates.ts'

const HOUR = 3600_000
const YEAR = 365 * 24 * HOUR

/** What a virt-handler trusts and shows: one certificate for the target's side, one for the source's. All PEM. */
export interface HandlerIdentity {
  ca: string
  certificates: { server: KeyPair; client: KeyPair }
}

/** ms since the epoch. */
export interface Validity {
  notBefore: number
  notAfter: number
}

/**
 * The certificates of KubeVirt's virt-handlers, which all nodes share (fact sheet data-plane.md §2.3), and the authority
 * that they are of. @param now ms since the epoch
 */
export async function handlerCertificates(
  now: number,
): Promise<HandlerIdentity & { authority: KeyPair }> {
  // A client's clock may differ a little from ours.
  const validity = { notBefore: now - HOUR, notAfter: now + YEAR }
  const authority = await createAuthority(`kubevirt.io@${Math.floor(now / 1000)}`, validity)
  const [pair, certificates] = await Promise.all([
    authority.pair(),
    issueCertificates(authority, validity, { server: SERVER_NAME, client: MIGRATION_CLIENT_NAME }),
  ])
  return { ca: authority.cert, certificates, authority: pair }
}

/** @param names the two Common Names */
export async function issueCertificates(
  authority: Authority,
  validity: Validity,
  names: { server: string; client: string },
): Promise<HandlerIdentity['certificates']> {
  const service = 'virt-handler.kubevirt'
  const [server, client] = await Promise.all([
    authority.issue({
      commonName: names.server,
      usage: ['server'],
      names: ['virt-handler', service, `${service}.svc`, `${service}.svc.cluster.local`],
      ...validity,
    }),
    authority.issue({ commonName: names.client, usage: ['client'], ...validity }),
  ])
  return { server, client }
}
