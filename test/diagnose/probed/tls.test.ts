import { expect, test } from 'vitest'
import { judgeTls } from '../../../src/diagnose/probed/tls.ts'
import { createAuthority, type KeyPair } from '../../../src/lab/certificates.ts'
import type { TlsSighting } from '../../../src/probe/local-tls.ts'
import { parseBundle } from '../../../src/tls/chain.ts'
import { MIGRATION_CLIENT_NAME, SERVER_NAME } from '../../../src/tls/names.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
const DATES = { notBefore: NOW - 3_600_000, notAfter: NOW + 3_600_000 }
const authority = await createAuthority('kubevirt.io@7', DATES)
const other = await createAuthority('kubevirt.io@8', DATES)
const issue = (commonName: string, usage: 'server' | 'client', dates = DATES) =>
  authority.issue({ commonName, usage: [usage], ...dates })
const server = await issue(SERVER_NAME, 'server')
const client = await issue(MIGRATION_CLIENT_NAME, 'client')

const TCP = { host: '10.0.0.7', port: 35001, outcome: 'connected', ms: 3 } as const

function shaken(pair: KeyPair, ended?: string): TlsSighting {
  const certificates = pair.cert
  return { tcp: TCP, handshake: { spoke: 'tls', certificates, protocol: 'TLSv1.3', ended } }
}

function judge(
  seen: TlsSighting,
  { ca = authority.cert, pair = undefined as KeyPair | undefined } = {},
) {
  return judgeTls(seen, {
    ours: pair && parseBundle(pair.cert),
    authorities: parseBundle(ca),
    names: [SERVER_NAME],
    now: NOW,
  })
}

const codes = (probed: ReturnType<typeof judge>) => probed.findings.map(({ code }) => code)

test('a target as KubeVirt has it is well, with and without a certificate of ours', () => {
  expect(judge(shaken(server, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'))).toMatchObject({
    stage: 'handshake',
    findings: [{ code: 'MIG0010', status: 'pass' }],
  })
  expect(judge(shaken(server), { pair: client })).toMatchObject({
    ref: 'tls:10.0.0.7:35001',
    stage: 'let in',
    findings: [{ code: 'MIG0010', title: '10.0.0.7:35001 speaks TLS and lets us in' }],
  })
})

test('each fault of its certificate has its code, with names and dates', async () => {
  const ended = { notBefore: NOW - 7_200_000, notAfter: NOW - 3_600_000 }
  expect(codes(judge(shaken(server), { ca: other.cert }))).toEqual(['MIG6002'])
  expect(codes(judge(shaken(await issue('localhost', 'server'))))).toEqual(['MIG6004'])
  expect(codes(judge(shaken(await issue(SERVER_NAME, 'server', ended))))).toEqual(['MIG6003'])
  expect(codes(judge(shaken(await issue(SERVER_NAME, 'client'))))).toEqual(['MIG6010'])
  const [wrong] = judge(shaken(await issue('localhost', 'server'))).findings
  expect(wrong).toMatchObject({
    title: `Common name is invalid, got localhost, expected ${SERVER_NAME}`,
    remedy: [
      {
        text: 'The target must present the certificate of secret kubevirt-virt-handler-server-certs',
      },
    ],
  })
  expect(wrong.evidence[0]?.value).toBe(
    'CN=localhost (signed by kubevirt.io@7, valid 2026-06-01T11:00:00Z to 2026-06-01T13:00:00Z)',
  )
})

test.each([
  ['REFUSED', 'MIG6008'],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'MIG6008'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'MIG6002'],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'MIG6003'],
])('when our certificate is refused with %s it is %s', (ended, code) => {
  expect(codes(judge(shaken(server, ended), { pair: client }))).toEqual([code])
})

test('one that hangs up may have refused ours, or have nothing behind it: both are named', () => {
  const [found] = judge(shaken(server, 'REFUSED'), { pair: client }).findings
  expect(found).toMatchObject({ code: 'MIG6008', confidence: 'possible' })
  expect(found.title).toMatch(/refused our certificate, nothing listens at the launcher's socket/)
  const advice = found.remedy.map(({ text }) => text).join()
  expect(advice).toContain('give that one with --cert and --key')
  expect(advice).not.toContain('--legacy-client-cert')
  expect(found.remedy.at(-1)?.command).toMatch(/^kubectl mig probe socket /)
})

test('ours is checked against --ca too, and blamed where nobody of it has signed it', async () => {
  const stranger = await other.issue({
    commonName: MIGRATION_CLIENT_NAME,
    usage: ['client'],
    ...DATES,
  })
  const { findings, steps } = judge(shaken(server, 'REFUSED'), { pair: stranger })
  expect(findings[0]).toMatchObject({ code: 'MIG6002', confidence: 'likely' })
  expect(findings[0].title).toContain('none of the authorities of our bundle has signed ours')
  expect(steps).toContainEqual({
    question: 'Ours signed by --ca?',
    status: 'fail',
    answer: 'no: signed by kubevirt.io@8',
  })
  expect(judge(shaken(server), { pair: stranger }).findings[0]).toMatchObject({ status: 'pass' })
})

test('one that lets in without a certificate is no contradiction', () => {
  const { findings, steps } = judge(shaken(server))
  expect(findings[0].cause).toMatch(/^It let us in without a certificate/)
  expect(steps.at(-1)).toMatchObject({ status: 'pass', answer: 'yes, without a certificate' })
})

test('an authority of the same name is told from ours', async () => {
  const namesake = await createAuthority('kubevirt.io@7', DATES)
  const [found] = judge(shaken(server), { ca: namesake.cert }).findings
  expect(found.title).toContain(
    'its signer is another kubevirt.io@7, of the same name but with another key, than that of our bundle (valid 2026-06-01T11:00:00Z to',
  )
})

test('a reset is told as that', () => {
  const handshake = { spoke: 'nothing', error: 'ECONNRESET' } as const
  const [found] = judge({ tcp: TCP, handshake }).findings
  expect(found).toMatchObject({ code: 'MIG5011', status: 'fail' })
  expect(found.title).toMatch(/^ECONNRESET: the target reset the connection during/)
})

test.each([
  [{ spoke: 'no-tls', error: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'MIG6001'],
  [{ spoke: 'nothing', error: 'it hung up' }, 'MIG5011'],
  [{ spoke: 'nothing', error: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' }, 'MIG6005'],
  [{ spoke: 'silent' }, 'MIG5011'],
] as const)('%j is %s', (handshake, code) => {
  expect(codes(judge({ tcp: TCP, handshake }))).toEqual([code])
})

test.each([
  ['refused', 'MIG5002'],
  ['timed-out', 'MIG7001'],
  ['no-route', 'MIG7002'],
  ['unknown-host', 'MIG7002'],
  ['failed', 'MIG0008'],
] as const)('without a connection, %s, it is %s', (outcome, code) => {
  const probed = judge({ tcp: { ...TCP, outcome } })
  expect(codes(probed)).toEqual([code])
  expect(probed.steps).toHaveLength(1)
})
