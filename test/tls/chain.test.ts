import { expect, test } from 'vitest'
import { createAuthority } from '../../src/lab/certificates.ts'
import { isTrusted, parseBundle } from '../../src/tls/chain.ts'

const now = Date.now()
const valid = { notBefore: now - 3_600_000, notAfter: now + 3_600_000 }

test('what is no certificate is left out of a bundle', async () => {
  const { cert } = await createAuthority('one', valid)
  const broken = '-----BEGIN CERTIFICATE-----\nnothing\n-----END CERTIFICATE-----\n'
  expect(parseBundle(`# a comment\n${broken}${cert}`)).toHaveLength(1)
  expect(parseBundle('')).toEqual([])
})

test('only who was signed by an authority of the bundle is trusted', async () => {
  const [one, two] = await Promise.all([
    createAuthority('one', valid),
    createAuthority('two', valid),
  ])
  const leaf = parseBundle(
    (await one.issue({ commonName: 'leaf', usage: ['server'], ...valid })).cert,
  )
  expect(isTrusted(leaf, parseBundle(two.cert + one.cert))).toBe(true)
  expect(isTrusted(leaf, parseBundle(two.cert))).toBe(false)
  expect(isTrusted(leaf, [])).toBe(false)
  expect(isTrusted([], parseBundle(one.cert))).toBe(false)
})

test('an authority of the same name with another key is not it', async () => {
  const [one, again] = await Promise.all([
    createAuthority('one', valid),
    createAuthority('one', valid),
  ])
  const leaf = parseBundle(
    (await one.issue({ commonName: 'leaf', usage: ['server'], ...valid })).cert,
  )
  expect(isTrusted(leaf, parseBundle(again.cert))).toBe(false)
  // Sending the authority along makes it no more trusted.
  expect(isTrusted([...leaf, ...parseBundle(one.cert)], parseBundle(again.cert))).toBe(false)
})
