import { expect, test } from 'vitest'
import { createAuthority } from '../../src/lab/certificates.ts'
import { MIGRATION_CLIENT_NAME, SERVER_NAME } from '../../src/tls/names.ts'
import { whyRefused } from '../../src/tls/own-certificate.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
const DATES = { notBefore: NOW - 3_600_000, notAfter: NOW + 3_600_000 }
const ENDED = { notBefore: NOW - 7_200_000, notAfter: NOW - 3_600_000 }

const authority = await createAuthority('kubevirt.io@7', DATES)
const other = await createAuthority('kubevirt.io@8', DATES)
const server = await issue(SERVER_NAME, ['server'])

function issue(commonName: string, usage: ('server' | 'client')[]) {
  return authority.issue({ commonName, usage, ...DATES })
}

function whyServer(cert: string, ca = authority.cert): string | undefined {
  return whyRefused({ cert, ca, usage: 'server', acceptedNames: [SERVER_NAME] }, NOW)
}

test('nothing is wrong with what KubeVirt has', () => {
  expect(whyServer(server.cert)).toBeUndefined()
  expect(whyServer(server.cert, `${other.cert}\n${authority.cert}`)).toBeUndefined()
})

test('a name that peers do not expect is told with the one they do', async () => {
  const { cert } = await issue('localhost', ['server'])
  expect(whyServer(cert)).toBe(
    `CN=localhost (signed by kubevirt.io@7, valid 2026-06-01T11:00:00Z to 2026-06-01T13:00:00Z): they expect the name ${SERVER_NAME}`,
  )
})

test("a client's certificate is not presented as a server", async () => {
  const { cert } = await issue(MIGRATION_CLIENT_NAME, ['client'])
  expect(whyServer(cert)).toContain("it is a client certificate, they expect a server's")
})

test('one of another authority is told with those of the bundle', () => {
  expect(whyServer(server.cert, other.cert)).toContain(
    'no authority of our own bundle that is valid now has signed it: CN=kubevirt.io@8 (signed by kubevirt.io@8, valid',
  )
})

test('an authority of the same name is another one all the same', async () => {
  const twin = await createAuthority('kubevirt.io@7', DATES)
  expect(whyServer(server.cert, twin.cert)).toContain('has signed it')
})

test('an authority that has ended counts no more', async () => {
  const ended = await createAuthority('kubevirt.io@6', ENDED)
  const old = await ended.issue({ commonName: SERVER_NAME, usage: ['server'], ...DATES })
  const why = whyServer(old.cert, `${ended.cert}\n${authority.cert}`)
  expect(why).toContain('has signed it: CN=kubevirt.io@7')
  expect(why).not.toContain('@6 (signed')
})
