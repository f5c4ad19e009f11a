import 'reflect-metadata'
import type { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

/** ECDSA P-256, as KubeVirt's own certificates (fact sheet data-plane.md §2.3). */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Common Name that the API server shows to kubelets. */
export const KUBELET_CLIENT = 'kube-apiserver-kubelet-client'

export interface Authority {
  /** PEM. */
  cert: string
  /** To open it again elsewhere. */
  pair(): Promise<KeyPair>
  issue(request: CertificateRequest): Promise<KeyPair>
}

export interface KeyPair {
  /** PEM. */
  cert: string
  /** PEM, PKCS #8. Never printed, never stored outside the lab's own 0700 folder. */
  key: string
}

interface CertificateRequest {
  commonName: string
  organizations?: string[]
  usage: ('server' | 'client')[]
  /** DNS names and IP addresses. */
  names?: string[]
  /** ms since the epoch. */
  notBefore: number
  /** ms since the epoch. */
  notAfter: number
}

/** A self-signed certificate authority, held in memory. Times are ms since the epoch. */
export async function createAuthority(
  commonName: string,
  { notBefore, notAfter }: { notBefore: number; notAfter: number },
): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const name = new x509.Name([{ CN: [commonName] }]).toString()
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name,
    keys,
    serialNumber: serialNumber(),
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign |
          x509.KeyUsageFlags.cRLSign |
          x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return authorityOf(root, keys.privateKey)
}

/** One that was created elsewhere. */
export async function openAuthority({ cert, key }: KeyPair): Promise<Authority> {
  const der = x509.PemConverter.decodeFirst(key)
  const signingKey = await crypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign'])
  return authorityOf(new x509.X509Certificate(cert), signingKey)
}

function authorityOf(root: x509.X509Certificate, key: webcrypto.CryptoKey): Authority {
  const cert = root.toString('pem')
  return {
    cert,
    pair: async () => ({ cert, key: await keyText(key) }),
    issue: (request) => issue(root, key, request),
  }
}

async function issue(
  root: x509.X509Certificate,
  signingKey: webcrypto.CryptoKey,
  request: CertificateRequest,
): Promise<KeyPair> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const subject: Record<string, string[]>[] = [
    ...(request.organizations ?? []).map((organization) => ({ O: [organization] })),
    { CN: [request.commonName] },
  ]
  const cert = await x509.X509CertificateGenerator.create({
    subject: new x509.Name(subject).toString(),
    issuer: root.subject,
    publicKey: keys.publicKey,
    signingKey,
    serialNumber: serialNumber(),
    notBefore: new Date(request.notBefore),
    notAfter: new Date(request.notAfter),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(
        request.usage.map((usage) => x509.ExtendedKeyUsage[`${usage}Auth`]),
      ),
      ...(request.names?.length
        ? [new x509.SubjectAlternativeNameExtension(alternativeNames(request.names))]
        : []),
      await x509.AuthorityKeyIdentifierExtension.create(root, false),
    ],
  })
  return { cert: cert.toString('pem'), key: await keyText(keys.privateKey) }
}

async function keyText(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}

function alternativeNames(names: string[]): x509.JsonGeneralName[] {
  return names.map((value) => ({ type: isAddress(value) ? 'ip' : 'dns', value }))
}

function isAddress(name: string): boolean {
  return /^[\d.]+$/.test(name) || name.includes(':')
}

/** 16 random bytes, positive. */
function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[0] = (bytes[0]! & 0x7f) | 0x40
  return Buffer.from(bytes).toString('hex')
}
