import { MIGRATION_CLIENT_NAME, SERVER_NAME } from '../../../tls/names.ts'
import type { KeyPair } from '../../certificates.ts'
import type { FaultType } from '../../faults.ts'
import type { HandlerIdentity } from '../certificates.ts'

const TYPES = ['UnknownAuthority', 'CertificateExpired', 'WrongCommonName'] as const

type CertificateFault = (typeof TYPES)[number]

/** Which fault of certificates there is; undefined: none. */
export function certificateFault(has: (type: FaultType) => boolean): CertificateFault | undefined {
  return TYPES.find(has)
}

const HOUR = 3_600_000

/**
 * Certificates of virt-handler that are wrong in that one way. Whoever has no such fault needs nothing of this: it is
 * loaded late. @param authority the cluster's own @param now ms since the epoch
 */
export async function faultyCertificates(
  fault: CertificateFault,
  authority: KeyPair,
  now: number,
): Promise<HandlerIdentity['certificates']> {
  const { createAuthority, openAuthority } = await import('../../certificates.ts')
  const { issueCertificates } = await import('../certificates.ts')
  const valid = { notBefore: now - HOUR, notAfter: now + 24 * HOUR }
  const names = { server: SERVER_NAME, client: MIGRATION_CLIENT_NAME }
  switch (fault) {
    case 'UnknownAuthority': {
      const other = await createAuthority(`kubevirt.io@${Math.floor(now / 1000)}`, valid)
      return issueCertificates(other, valid, names)
    }
    case 'CertificateExpired': {
      const past = { notBefore: now - 25 * HOUR, notAfter: now - HOUR }
      return issueCertificates(await openAuthority(authority), past, names)
    }
    case 'WrongCommonName':
      return issueCertificates(await openAuthority(authority), valid, OTHER_NAMES)
  }
}

/** As if the secrets of the synchronization controller were mounted (fact sheet data-plane.md §2.3). */
const OTHER_NAMES = {
  server: 'kubevirt.io:system:node:virt-synchronization-controller',
  client: 'kubevirt.io:system:client:virt-synchronization-controller',
}
