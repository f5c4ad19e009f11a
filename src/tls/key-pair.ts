import { createPrivateKey, X509Certificate } from 'node:crypto'
import { EXIT, MigError } from '../errors.ts'
import { certificateLine, type KeyPair, readCertificates } from './certificate.ts'
import { readPem } from './read-pem.ts'

/** What the two halves of a pair are called in an error, e.g. their file names. */
export interface PairNames {
  cert: string
  key: string
}

/**
 * Reads both files of a pair, and refuses one that no peer could accept.
 * @param now ms since the epoch
 * @throws MigError `unreadable-file`, or as {@link checkKeyPair}
 */
export async function readKeyPair(files: PairNames, now: number): Promise<KeyPair> {
  const pair = { cert: await readPem(files.cert), key: await readPem(files.key) }
  checkKeyPair(pair, files, now)
  return pair
}

/**
 * Refuses a pair that no peer could accept. Says nothing of the key but which file it is in.
 * @param now ms since the epoch
 * @throws MigError `bad-certificate`, `bad-key`, `key-mismatch`, `certificate-not-valid`
 */
export function checkKeyPair({ cert, key }: KeyPair, names: PairNames, now: number): void {
  const [certificate] = readCertificates(cert, names.cert)
  if (!keyMatches(cert, key, names.key)) {
    throw new MigError(
      EXIT.usage,
      `the key in ${names.key} is not that of the certificate in ${names.cert}, ${certificateLine(certificate!)}`,
      { code: 'key-mismatch', hint: 'give the two files of the same secret (tls.crt, tls.key)' },
    )
  }
  const { notBefore, notAfter } = certificate!
  if (now < notBefore || now > notAfter) {
    const what = now > notAfter ? 'has expired' : 'is not valid yet'
    throw new MigError(
      EXIT.usage,
      `the certificate in ${names.cert} ${what}: ${certificateLine(certificate!)}, it is now ${new Date(now).toISOString()}`,
      { code: 'certificate-not-valid', hint: "renew it, or set this machine's clock right" },
    )
  }
}

function keyMatches(cert: string, key: string, from: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch (cause) {
    throw new MigError(EXIT.usage, `${from} holds no private key that can be read (expected PEM)`, {
      code: 'bad-key',
      cause,
    })
  }
}

/** The bundle's authorities that are valid now; one that isn't does no harm, none that is does. */
export function checkBundle(ca: string, from: string, now: number): void {
  const authorities = readCertificates(ca, from)
  if (authorities.some(({ notBefore, notAfter }) => notBefore <= now && now <= notAfter)) return
  throw new MigError(
    EXIT.usage,
    `no authority in ${from} is valid now: ${authorities.map(certificateLine).join(', ')}`,
    {
      code: 'certificate-not-valid',
      hint: 'give the current bundle (configmap kubevirt-ca, key ca-bundle)',
    },
  )
}
