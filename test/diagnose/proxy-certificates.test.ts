import { beforeAll, describe, expect, test } from 'vitest'
import { type Authority, createAuthority } from '../../src/lab/certificates.ts'
import type { CertificateFolder } from '../../src/probe/commands.ts'
import { LEGACY_CLIENT_NAME, MIGRATION_CLIENT_NAME, SERVER_NAME } from '../../src/tls/names.ts'
import { copying, probe, read } from './proxies.ts'
import { failed, handler, kubevirt, migration, source, verdictOn, vmi } from './world.ts'

const HOUR = 3_600_000
/** The moment of the tests. */
const NOW = Date.parse('2026-01-01T10:02:00Z')
const valid = { notBefore: NOW - HOUR, notAfter: NOW + HOUR }
let ours: Authority
let other: Authority

beforeAll(async () => {
  ours = await createAuthority('kubevirt.io@1', valid)
  other = await createAuthority('kubevirt.io@2', valid)
})

const bundle = (...authorities: Authority[]) => ({
  kind: 'ConfigMap',
  metadata: { name: 'kubevirt-ca', namespace: 'kubevirt' },
  data: { 'ca-bundle': authorities.map(({ cert }) => cert).join('\n') },
})

async function certificate(
  by: Authority,
  commonName: string,
  usage: 'server' | 'client',
  dates = valid,
) {
  const { cert } = await by.issue({ commonName, usage: [usage], ...dates })
  return cert
}

const files = (folder: CertificateFolder, pem: string) => ({
  certificates: [{ folder, pem: read(pem) }],
})

/** Nothing has moved yet: a new connection would be refused. */
const still = { counted: read({ before: [], after: [], apart: 2000 }) }

async function judged(
  pems: { server?: string; client?: string },
  {
    objects = [...copying(), bundle(ours)],
    folder = 'migrationservercertificates',
    seen = {},
  } = {} as {
    objects?: Record<string, unknown>[]
    folder?: CertificateFolder
    seen?: Parameters<typeof probe>[0]
  },
) {
  const server = pems.server ?? (await certificate(ours, SERVER_NAME, 'server'))
  const client = pems.client ?? (await certificate(ours, MIGRATION_CLIENT_NAME, 'client'))
  const probes = [
    probe({
      ...seen,
      source: { ...still, ...files(folder, client), ...seen?.source },
      target: { ...files('servercertificates', server), ...seen?.target },
    }),
  ]
  return verdictOn(objects, { probes })
}

test('both are as they should be', async () => {
  expect(await judged({})).toMatchObject({ code: 'MIG8000' })
})

test('what kubevirt-ca still holds of an authority that was replaced is trusted', async () => {
  const client = await certificate(other, MIGRATION_CLIENT_NAME, 'client')
  const objects = [...copying(), bundle(other, ours)]
  expect(await judged({ client }, { objects })).toMatchObject({ code: 'MIG8000' })
})

test('the signer of the target’s is not in kubevirt-ca', async () => {
  const server = await certificate(other, SERVER_NAME, 'server')
  expect(await judged({ server })).toMatchObject({
    code: 'MIG6002',
    status: 'fail',
    text: expect.stringContaining('target node-b is signed by kubevirt.io@2'),
  })
})

test('without kubevirt-ca nobody is accused', async () => {
  const server = await certificate(other, SERVER_NAME, 'server')
  expect(await judged({ server }, { objects: copying() })).toMatchObject({ code: 'MIG8000' })
})

test('the source’s has expired', async () => {
  const past = { notBefore: NOW - 3 * HOUR, notAfter: NOW - HOUR }
  const client = await certificate(ours, MIGRATION_CLIENT_NAME, 'client', past)
  expect(await judged({ client })).toMatchObject({
    code: 'MIG6003',
    status: 'fail',
    text: expect.stringContaining('source node-a has expired on 2026-01-01T09:02:00Z'),
  })
})

test('one that is not valid yet', async () => {
  const future = { notBefore: NOW + HOUR, notAfter: NOW + 2 * HOUR }
  const server = await certificate(ours, SERVER_NAME, 'server', future)
  expect(await judged({ server })).toMatchObject({ code: 'MIG6003' })
})

test('the wrong name', async () => {
  const server = await certificate(ours, 'kubevirt.io:system:node:virt-api', 'server')
  expect(await judged({ server })).toMatchObject({ code: 'MIG6004' })
})

test('the name of releases up to 1.6 is right where it is mounted', async () => {
  const client = await certificate(ours, LEGACY_CLIENT_NAME, 'client')
  expect(await judged({ client }, { folder: 'clientcertificates' })).toMatchObject({
    code: 'MIG8000',
  })
  expect(await judged({ client })).toMatchObject({ code: 'MIG6004' })
})

test('a client certificate where a server’s belongs', async () => {
  const server = await certificate(ours, SERVER_NAME, 'client')
  expect(await judged({ server })).toMatchObject({ code: 'MIG6010' })
})

test('what the listener itself presents is judged too', async () => {
  const certificates = await certificate(other, SERVER_NAME, 'server')
  const handshake = read({
    spoke: 'tls',
    certificates,
    protocol: 'TLSv1.3',
    ended: undefined,
  } as const)
  expect(await judged({}, { seen: { handshake } })).toMatchObject({ code: 'MIG6002' })
})

test('while data flow it is a warning: who is connected is not asked again', async () => {
  const server = await certificate(other, SERVER_NAME, 'server')
  const { counted } = probe().source ?? {}
  const seen = { source: { counted: counted! } }
  expect(await judged({ server }, { seen })).toMatchObject({ code: 'MIG6002', status: 'warn' })
})

test('with TLS switched off nobody looks at certificates', async () => {
  const server = await certificate(other, SERVER_NAME, 'server')
  const objects = [...copying({}, { disableTLS: true }), bundle(ours)]
  expect(await judged({ server }, { objects })).toMatchObject({ code: 'MIG8000' })
})

describe('a migration that has failed', () => {
  const EOF = "virError(Code=38, Domain=7, Message='End of file while reading data')"
  const objects = () => [
    kubevirt(),
    migration('Failed'),
    vmi({}, failed(EOF)),
    source,
    handler('node-a'),
    handler('node-b'),
    bundle(ours),
  ]

  test('is judged by the dates of its end', async () => {
    const later = { notBefore: NOW - 2 * HOUR, notAfter: NOW - 5000 }
    const server = await certificate(ours, SERVER_NAME, 'server', later)
    expect((await judged({ server }, { objects: objects() })).code).not.toBe('MIG6003')
    const before = { notBefore: NOW - 2 * HOUR, notAfter: NOW - 60_000 }
    const expired = await certificate(ours, SERVER_NAME, 'server', before)
    expect(await judged({ server: expired }, { objects: objects() })).toMatchObject({
      code: 'MIG6003',
      status: 'fail',
    })
  })

  test('where a log names another cause, the certificate only warns of the next attempt', async () => {
    const server = await certificate(other, SERVER_NAME, 'server')
    const line = JSON.stringify({
      component: 'virt-handler',
      level: 'error',
      msg: 'unable to create outbound leg of proxy to host',
      reason: 'dial tcp 10.9.0.2:35001: connect: connection refused',
      timestamp: '2026-01-01T10:01:40.000000Z',
      uid: 'v1',
    })
    const client = await certificate(ours, MIGRATION_CLIENT_NAME, 'client')
    const probes = [
      probe({
        source: files('migrationservercertificates', client),
        target: files('servercertificates', server),
      }),
    ]
    const { code } = verdictOn(objects(), { probes, log: [line] })
    expect(code).toBe('MIG5002')
  })
})
