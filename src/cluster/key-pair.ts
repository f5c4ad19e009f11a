import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { EXIT, MigError } from '../errors.ts'
import type { Pem } from './entry-fields.ts'

/** Throws when a PEM holds no certificate that can be read. The first one is looked at. */
export function checkCertificate(pem: Pem, what: string): X509Certificate {
  try {
    return new X509Certificate(pem.text)
  } catch (err) {
    throw wrong(`${pem.from}: ${what} is no certificate that can be read`, err)
  }
}

/** Throws unless certificate and key are readable and belong together: a TLS server would only say "bad certificate". */
export function checkKeyPair(user: string, cert: Pem | undefined, key: Pem | undefined): void {
  if (!cert && !key) return
  if (!cert) throw wrong(`${key!.from}: user "${user}" has a client key without a certificate`)
  if (!key) throw wrong(`${cert.from}: user "${user}" has a client certificate without a key`)
  const certificate = checkCertificate(cert, `the client certificate of user "${user}"`)
  if (!certificate.checkPrivateKey(readKey(user, key))) {
    throw wrong(
      `client certificate and key of user "${user}" don't match: certificate ${cert.from}, key ${key.from}`,
    )
  }
}

function readKey(user: string, { text, from }: Pem): KeyObject {
  if (text.includes('ENCRYPTED'))
    throw wrong(`${from}: the client key of user "${user}" is encrypted`)
  try {
    return createPrivateKey(text)
  } catch (err) {
    throw wrong(`${from}: the client key of user "${user}" is no key that can be read`, err)
  }
}

function wrong(message: string, cause?: unknown): MigError {
  return new MigError(EXIT.usage, message, { cause, code: 'KUBECONFIG' })
}
