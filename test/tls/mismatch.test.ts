import { expect, test } from 'vitest'
import type { Certificate } from '../../src/tls/certificate.ts'
import { explainTlsFailure, type TlsFailure } from '../../src/tls/mismatch.ts'
import {
  CLIENT_NAMES,
  LEGACY_CLIENT_NAME,
  MIGRATION_CLIENT_NAME,
  SERVER_NAME,
} from '../../src/tls/names.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
const certificate = (change: Partial<Certificate>): Certificate => ({
  commonName: SERVER_NAME,
  issuer: 'kubevirt.io@1',
  notBefore: Date.parse('2026-06-01T00:00:00Z'),
  notAfter: Date.parse('2026-06-02T00:00:00Z'),
  names: [],
  usages: [],
  isAuthority: false,
  ...change,
})
const server = certificate({ commonName: SERVER_NAME, usages: ['server'] })
const client = certificate({ commonName: MIGRATION_CLIENT_NAME, usages: ['client'] })

const asSource = (error: string, change: Partial<TlsFailure> = {}): TlsFailure => ({
  role: 'source',
  error,
  ours: client,
  theirs: server,
  authorities: [certificate({ commonName: 'kubevirt.io@1' })],
  expectedNames: [SERVER_NAME],
  ...change,
})
const asTarget = (error: string, change: Partial<TlsFailure> = {}): TlsFailure => ({
  role: 'target',
  error,
  ours: server,
  theirs: client,
  authorities: [certificate({ commonName: 'kubevirt.io@1' })],
  expectedNames: CLIENT_NAMES,
  ...change,
})

// The rows of fact sheet data-plane.md §2.7, from the side that can tell.
test.each<[string, TlsFailure, string, string]>([
  [
    '1, target',
    asTarget('ERR_SSL_WRONG_VERSION_NUMBER'),
    'tls-peer-plain',
    "the source doesn't speak TLS: first record does not look like a TLS handshake",
  ],
  ['2, source', asSource('EOF'), 'tls-hung-up', 'EOF: the target hung up during the TLS handshake'],
  [
    '2, source, garbage',
    asSource('ERR_SSL_PACKET_LENGTH_TOO_LONG'),
    'tls-peer-plain',
    "the target doesn't speak TLS",
  ],
  [
    '3, target',
    asTarget('UNABLE_TO_VERIFY_LEAF_SIGNATURE', {
      theirs: certificate({ issuer: 'kubevirt.io@9' }),
    }),
    'tls-unknown-authority',
    'kubevirt.io@9 is not in our bundle (kubevirt.io@1)',
  ],
  [
    '3, source',
    asSource('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'),
    'tls-we-are-unknown',
    'unknown certificate authority',
  ],
  [
    '4, source',
    asSource('SELF_SIGNED_CERT_IN_CHAIN'),
    'tls-unknown-authority',
    'certificate signed by unknown authority',
  ],
  [
    '5, target',
    asTarget('WRONG_NAME', { theirs: certificate({ commonName: 'x' }) }),
    'tls-wrong-name',
    `common name is invalid, got x, expected ${MIGRATION_CLIENT_NAME} or ${LEGACY_CLIENT_NAME}`,
  ],
  [
    '5, source, OpenSSL 3.0',
    asSource('ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE'),
    'tls-refused',
    'bad certificate',
  ],
  [
    '5, source, OpenSSL 3.5',
    asSource('ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE'),
    'tls-refused',
    `targets up to KubeVirt 1.6 accept only ${LEGACY_CLIENT_NAME}`,
  ],
  [
    '6, source',
    asSource('WRONG_NAME', { theirs: certificate({ commonName: 'y' }) }),
    'tls-wrong-name',
    `got y, expected ${SERVER_NAME}`,
  ],
  [
    '6, target',
    asTarget('REFUSED', { ours: certificate({ commonName: 'y' }) }),
    'tls-refused',
    `ours isn't named ${SERVER_NAME}`,
  ],
  [
    '7, target',
    asTarget('CERT_HAS_EXPIRED', { theirs: certificate({ notAfter: NOW - 1000 }) }),
    'tls-not-valid-now',
    "the source's ended 2026-06-01T11:59:59Z, it is now 2026-06-01T12:00:00Z",
  ],
  [
    '7, target, authority',
    asTarget('CERT_HAS_EXPIRED'),
    'tls-not-valid-now',
    "not the source's own, but an authority of its chain",
  ],
  [
    '7, source',
    asSource('ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED'),
    'tls-we-are-expired',
    'expired certificate',
  ],
  [
    '8, source',
    asSource('CERT_NOT_YET_VALID', { theirs: certificate({ notBefore: NOW + 1000 }) }),
    'tls-not-valid-now',
    "the target's begins 2026-06-01T12:00:01Z",
  ],
  [
    '9',
    asSource('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'),
    'tls-version',
    'protocol version not supported',
  ],
  [
    '10',
    asTarget('ERR_SSL_NO_SHARED_CIPHER'),
    'tls-cipher',
    'no cipher suite supported by both client and server',
  ],
  [
    '11',
    asSource('NO_OWN_CERTIFICATE'),
    'tls-no-own-certificate',
    'No client certificate, client is not yet ready to talk to the server',
  ],
  [
    '11b, target',
    asTarget('NO_PEER_CERTIFICATE'),
    'tls-no-certificate',
    "client didn't provide a certificate",
  ],
  [
    '11b, source',
    asSource('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'),
    'tls-we-have-none',
    'certificate required',
  ],
  [
    '11c, source',
    asSource('INVALID_PURPOSE'),
    'tls-wrong-usage',
    'certificate specifies an incompatible key usage',
  ],
  [
    '11c, target',
    asTarget('REFUSED', { ours: certificate({ usages: ['client'] }) }),
    'tls-refused',
    'ours is no server certificate',
  ],
  [
    '12',
    asSource('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR'),
    'tls-peer-not-ready',
    'it has no certificate or no authority loaded',
  ],
  [
    'no answer',
    asSource('ERR_TLS_HANDSHAKE_TIMEOUT'),
    'tls-timeout',
    "didn't finish the TLS handshake within the time limit",
  ],
  [
    'anything else',
    asSource('ERR_SSL_BAD_SIGNATURE'),
    'tls-failed',
    'the TLS with the target failed: ERR_SSL_BAD_SIGNATURE',
  ],
])('row %s', (_, failure, code, says) => {
  const explained = explainTlsFailure(failure, NOW)
  expect(explained.code).toBe(code)
  expect(explained.message).toContain(says)
  expect(explained.message).not.toContain('\n')
})

test('both certificates are in the line, with signer and dates', () => {
  const { message } = explainTlsFailure(asSource('ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE'), NOW)
  expect(message).toContain(
    `ours is CN=${MIGRATION_CLIENT_NAME} (signed by kubevirt.io@1, valid 2026-06-01T00:00:00Z to 2026-06-02T00:00:00Z)`,
  )
  expect(message).toContain(`the target's is CN=${SERVER_NAME} (signed by kubevirt.io@1, valid`)
})

test('only a refusal of our certificate is a reason to try another', () => {
  const refused = (failure: TlsFailure) => explainTlsFailure(failure, NOW).weWereRefused
  expect(refused(asSource('ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE'))).toBe(true)
  expect(refused(asSource('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'))).toBe(true)
  expect(refused(asSource('REFUSED'))).toBe(true)
  expect(refused(asSource('EOF'))).toBe(false)
  expect(refused(asSource('WRONG_NAME'))).toBe(false)
})
