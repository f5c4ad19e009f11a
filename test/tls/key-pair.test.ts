import { expect, test } from 'vitest'
import { createAuthority } from '../../src/lab/certificates.ts'
import { readCertificates } from '../../src/tls/certificate.ts'
import { checkBundle, checkKeyPair } from '../../src/tls/key-pair.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
const DATES = { notBefore: NOW - 3_600_000, notAfter: NOW + 3_600_000 }
const LATER = NOW + 7_200_000
const NAMES = { cert: 'tls.crt', key: 'tls.key' }

const authority = await createAuthority('kubevirt.io@7', DATES)
const issue = () =>
  authority.issue({
    commonName: 'someone',
    usage: ['client'],
    names: ['a.b', '10.0.0.1'],
    ...DATES,
  })
const pair = await issue()
const other = await issue()

test('a certificate is read with what matters of it', () => {
  expect(readCertificates(pair.cert, 'tls.crt')).toEqual([
    {
      commonName: 'someone',
      issuer: 'kubevirt.io@7',
      notBefore: DATES.notBefore,
      notAfter: DATES.notAfter,
      names: ['DNS:a.b', 'IP Address:10.0.0.1'],
      usages: ['client'],
      isAuthority: false,
    },
  ])
})

test('a bundle is read in order, whatever stands between', () => {
  const bundle = `# first\n${authority.cert}\n# second\n${pair.cert}`
  const names = readCertificates(bundle, 'bundle').map(({ commonName }) => commonName)
  expect(names).toEqual(['kubevirt.io@7', 'someone'])
})

test.each([
  ['', 'ca.pem holds no certificate (expected PEM)'],
  [
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    'certificate 1 of ca.pem is malformed',
  ],
])('what is no certificate is refused: %j', (text, says) => {
  expect(() => readCertificates(text, 'ca.pem')).toThrow(says)
})

test('a pair that fits and is valid passes', () => {
  expect(() => checkKeyPair(pair, NAMES, NOW)).not.toThrow()
})

test.each([
  ['another key', { ...pair, key: other.key }, NOW, 'key-mismatch'],
  ['no key', { ...pair, key: 'secret' }, NOW, 'bad-key'],
  ['past its end', pair, LATER, 'certificate-not-valid'],
  ['before its begin', pair, NOW - 7_200_000, 'certificate-not-valid'],
])('%s is refused, and the key is not in the error', (_, keyPair, now, code) => {
  const check = () => checkKeyPair(keyPair, NAMES, now)
  expect(check).toThrow(expect.objectContaining({ code }))
  expect(check).not.toThrow(keyPair.key.split('\n')[1] ?? 'secret')
})

test('a bundle needs one authority that is valid now, no more', async () => {
  const old = await createAuthority('old', { notBefore: 0, notAfter: NOW - 1000 })
  expect(() => checkBundle(`${old.cert}\n${authority.cert}`, 'ca.pem', NOW)).not.toThrow()
  expect(() => checkBundle(old.cert, 'ca.pem', NOW)).toThrow('no authority in ca.pem is valid now')
})
