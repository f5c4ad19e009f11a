import { certificateLine, describeX509 } from './certificate.ts'
import { isTrusted, parseBundle } from './chain.ts'

export interface OwnCertificate {
  /** PEM, with what stands between it and its authority, if anything. */
  cert: string
  /** PEM bundle; the peers' is taken to be the same, as KubeVirt has one for all. */
  ca: string
  /** What it is presented as. */
  usage: 'server' | 'client'
  /** Common Names that peers let pass. */
  acceptedNames: readonly string[]
}

/**
 * Says what peers will have against a certificate that we present, as far as it is to be seen from here: which one it is,
 * with its name, signer and dates, and why. Undefined when it will do. Its own dates are `checkKeyPair`'s.
 * @param now ms since the epoch
 */
export function whyRefused(
  { cert, ca, usage, acceptedNames }: OwnCertificate,
  now: number,
): string | undefined {
  const chain = parseBundle(cert)
  const [own] = chain.map(describeX509)
  if (!own) return undefined
  const authorities = parseBundle(ca).filter((x509) => isValid(describeX509(x509), now))
  const faults: string[] = []
  if (!acceptedNames.includes(own.commonName))
    faults.push(`they expect the name ${acceptedNames.join(' or ')}`)
  if (own.usages.length > 0 && !own.usages.includes(usage))
    faults.push(`it is a ${own.usages.join(' and ')} certificate, they expect a ${usage}'s`)
  if (!isTrusted(chain, authorities)) {
    const names = authorities.map((x509) => certificateLine(describeX509(x509))).join(', ')
    faults.push(`no authority of our own bundle that is valid now has signed it: ${names}`)
  }
  return faults.length > 0 ? `${certificateLine(own)}: ${faults.join('; ')}` : undefined
}

function isValid(
  { notBefore, notAfter }: { notBefore: number; notAfter: number },
  now: number,
): boolean {
  return notBefore <= now && now <= notAfter
}
