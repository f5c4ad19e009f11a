import { X509Certificate } from 'node:crypto'
import { PEM_CERTIFICATE } from './certificate.ts'

/** All certificates of a PEM text that can be read, in order; none where there is none. */
export function parseBundle(pem: string): X509Certificate[] {
  return (pem.match(PEM_CERTIFICATE) ?? []).flatMap((block) => {
    try {
      return [new X509Certificate(block)]
    } catch {
      return []
    }
  })
}

/**
 * Whether a certificate leads to one of the authorities, by way of those that came with it. Dates, names and usages are
 * not looked at.
 * @param chain the certificate, and what came behind it
 */
export function isTrusted(
  [leaf, ...between]: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
): boolean {
  if (!leaf) return false
  const signed = (by: X509Certificate) => leaf.checkIssued(by) && leaf.verify(by.publicKey)
  if (authorities.some((one) => signed(one) || one.fingerprint256 === leaf.fingerprint256))
    return true
  return between.some(
    (one, at) => signed(one) && isTrusted([one, ...between.toSpliced(at, 1)], authorities),
  )
}
