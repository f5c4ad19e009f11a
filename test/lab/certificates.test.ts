import { createPrivateKey, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { createAuthority } from '../../src/lab/certificates.ts'

const notBefore = Date.parse('2026-01-01T00:00:00Z')
const notAfter = Date.parse('2026-01-08T00:00:00Z')

test('an authority issues certificates with the names, usages and dates asked for', async () => {
  const authority = await createAuthority('kubevirt.io@1', { notBefore, notAfter })
  const { cert, key } = await authority.issue({
    commonName: 'kubevirt.io:system:node:virt-handler',
    usage: ['server'],
    names: ['virt-handler', '127.0.0.1'],
    notBefore,
    notAfter,
  })
  const leaf = new X509Certificate(cert)
  expect(leaf.subject).toBe('CN=kubevirt.io:system:node:virt-handler')
  expect(leaf.subjectAltName).toBe('DNS:virt-handler, IP Address:127.0.0.1')
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
  expect(Date.parse(leaf.validTo)).toBe(notAfter)
  expect(leaf.verify(new X509Certificate(authority.cert).publicKey)).toBe(true)
  expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true)
})

test('an organization stands before the name, as Kubernetes reads groups', async () => {
  const authority = await createAuthority('ca', { notBefore, notAfter })
  const { cert } = await authority.issue({
    commonName: 'admin',
    organizations: ['system:masters'],
    usage: ['client'],
    notBefore,
    notAfter,
  })
  expect(new X509Certificate(cert).subject).toBe('O=system:masters\nCN=admin')
})
