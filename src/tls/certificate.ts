import { X509Certificate } from 'node:crypto'
import { EXIT, MigError } from '../errors.ts'

/** What matters of an X.509 certificate in a migration. */
export interface Certificate {
  /** Empty when the subject has none. */
  commonName: string
  /** Common Name of the signer, or its whole name. */
  issuer: string
  /** ms since the epoch. */
  notBefore: number
  /** ms since the epoch. */
  notAfter: number
  /** Subject alternative names, as OpenSSL writes them (`DNS:…`, `IP Address:…`). */
  names: string[]
  /** Extended key usages; empty when the certificate has no such extension (everything is allowed). */
  usages: ('server' | 'client')[]
  isAuthority: boolean
}

/** A certificate and its private key, both PEM. Never printed, never logged. */
export interface KeyPair {
  cert: string
  key: string
}

export const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/**
 * All certificates of a PEM text, in order.
 * @param from what the text is called in an error, e.g. a file name
 * @throws MigError `bad-certificate` when there is none or one can't be read
 */
export function readCertificates(pem: string, from: string): Certificate[] {
  const blocks = pem.match(PEM_CERTIFICATE)
  if (!blocks) {
    throw new MigError(EXIT.usage, `${from} holds no certificate (expected PEM)`, {
      code: 'bad-certificate',
    })
  }
  return blocks.map((block, index) => {
    try {
      return describeX509(new X509Certificate(block))
    } catch (cause) {
      throw new MigError(EXIT.usage, `certificate ${index + 1} of ${from} is malformed`, {
        code: 'bad-certificate',
        cause,
      })
    }
  })
}

/** The facts of a certificate that node has parsed, e.g. a peer's. */
export function describeX509(x509: X509Certificate): Certificate {
  return {
    commonName: nameOf(x509.subject, 'CN') ?? '',
    issuer: nameOf(x509.issuer, 'CN') ?? x509.issuer.replaceAll('\n', ', '),
    notBefore: Date.parse(x509.validFrom),
    notAfter: Date.parse(x509.validTo),
    names: x509.subjectAltName?.split(', ') ?? [],
    usages: (x509.keyUsage ?? []).flatMap((oid) => USAGE_OF_OID[oid] ?? []),
    isAuthority: x509.ca,
  }
}

const USAGE_OF_OID: Record<string, 'server' | 'client'> = {
  '1.3.6.1.5.5.7.3.1': 'server',
  '1.3.6.1.5.5.7.3.2': 'client',
}

/** `CN=… (signed by …, valid … to …)`: how a certificate is named in every line that mentions one. */
export function certificateLine(certificate: Certificate): string {
  const { commonName, issuer, notBefore, notAfter } = certificate
  return `CN=${commonName} (signed by ${issuer}, valid ${day(notBefore)} to ${day(notAfter)})`
}

function day(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

/** OpenSSL writes a name as one `KEY=value` a line. */
function nameOf(subject: string, key: string): string | undefined {
  const line = subject.split('\n').find((part) => part.startsWith(`${key}=`))
  return line?.slice(key.length + 1)
}
