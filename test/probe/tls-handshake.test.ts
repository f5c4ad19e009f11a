import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Authority, createAuthority, type KeyPair } from '../../src/lab/certificates.ts'
import { lookAtTls } from '../../src/probe/local-tls.ts'
import { handshake } from '../../src/probe/tls-handshake.ts'
import { readCertificates } from '../../src/tls/certificate.ts'
import { SERVER_NAME } from '../../src/tls/names.ts'

const now = Date.now()
const valid = { notBefore: now - 3_600_000, notAfter: now + 3_600_000 }
let authority: Authority
let pair: KeyPair

beforeAll(async () => {
  authority = await createAuthority('kubevirt.io@1', valid)
  pair = await authority.issue({ commonName: SERVER_NAME, usage: ['server'], ...valid })
})

async function listen(server: Server): Promise<Socket> {
  const open = new Set<Socket>()
  server.on('connection', (socket) => void open.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return connect((server.address() as AddressInfo).port, '127.0.0.1')
}

const shake = async (server: Server, timeoutMs = 5000, signal = new AbortController().signal) =>
  handshake(await listen(server), { timeoutMs, signal })

const tlsServer = (options: TlsOptions) =>
  createTlsServer({ ...pair, ca: authority.cert, ...options }).on('tlsClientError', () => {})

test('a migration proxy shows who it is, and lets nobody in without a certificate', async () => {
  const seen = await shake(tlsServer({ requestCert: true, rejectUnauthorized: true }))
  expect(seen).toMatchObject({
    spoke: 'tls',
    protocol: 'TLSv1.3',
    ended: expect.stringMatching(/CERTIFICATE_REQUIRED|ECONNRESET/),
  })
  const [own] = readCertificates((seen as { certificates: string }).certificates, 'peer')
  expect(own?.commonName).toBe(SERVER_NAME)
})

test('one that lets in without a certificate is seen when the time is over', async () => {
  expect(await shake(tlsServer({}), 300)).toMatchObject({ spoke: 'tls', ended: undefined })
})

test('what answers, but not with TLS', async () => {
  const server = createServer((socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
  expect(await shake(server)).toMatchObject({ spoke: 'no-tls' })
})

test('what hangs up, as libvirt does with garbage', async () => {
  const server = createServer((socket) => void socket.once('data', () => socket.destroy()))
  expect(await shake(server)).toEqual({ spoke: 'nothing', error: 'it hung up' })
})

test('what accepts and resets was tried: a reset during the handshake, each time', async () => {
  const server = createServer((socket) => void socket.resetAndDestroy())
  const first = await listen(server)
  first.destroy()
  const { port } = server.address() as AddressInfo
  const limits = { timeoutMs: 5000, signal: new AbortController().signal, pair: undefined }
  for (let i = 0; i < 40; i++) {
    const seen = await lookAtTls('127.0.0.1', port, limits)
    expect(seen).toMatchObject({
      tcp: { outcome: 'connected' },
      handshake: { spoke: 'nothing', error: 'ECONNRESET' },
    })
  }
})

test('silence ends with the time limit', async () => {
  await expect(shake(createServer(), 100)).rejects.toThrow(
    'no answer to a TLS handshake within 0.1s',
  )
})

test('an interruption ends it at once', async () => {
  const controller = new AbortController()
  const server = createServer(() => controller.abort(new Error('interrupted')))
  await expect(shake(server, 60_000, controller.signal)).rejects.toThrow('interrupted')
})
