import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ProxyRecord } from '../../src/proxy/log.ts'
import type { ProxyTls } from '../../src/proxy/tls.ts'
import { LEGACY_CLIENT_NAME, MIGRATION_CLIENT_NAME, SERVER_NAME } from '../../src/tls/names.ts'
import {
  commandExists,
  echo,
  randomBytes,
  readAll,
  type TestManager,
  tempDir,
  testManager,
  unixClient,
  unixServer,
  until,
} from './fixtures.ts'
import { testPki } from './pki.ts'

const pki = await testPki()
const other = await testPki()
const HOUR = 3_600_000
const past = { notBefore: Date.now() - 2 * HOUR, notAfter: Date.now() - HOUR }
const future = { notBefore: Date.now() + HOUR, notAfter: Date.now() + 2 * HOUR }
const MONITORING = 'kubevirt.io:system:client:monitoring'

interface Mismatch {
  name: string
  source: ProxyTls | 'disabled'
  target: ProxyTls | 'disabled'
  sourceSays: string
  targetSays: string
}

const MISMATCHES: Mismatch[] = [
  {
    name: "the target doesn't trust the source's authority",
    source: { ...other, ca: `${pki.ca}\n${other.ca}` },
    target: pki,
    sourceSays: 'the two have different signers',
    targetSays: 'certificate signed by unknown authority',
  },
  {
    name: "the source doesn't trust the target's authority",
    source: { ...pki, ca: other.ca },
    target: pki,
    sourceSays: 'certificate signed by unknown authority',
    targetSays: 'refused our certificate',
  },
  {
    name: 'the client certificate has another name',
    source: { ...pki, client: await pki.issue(MONITORING, 'client') },
    target: pki,
    sourceSays: 'ours has none of the names that KubeVirt accepts',
    targetSays: `common name is invalid, got ${MONITORING}, expected ${MIGRATION_CLIENT_NAME} or ${LEGACY_CLIENT_NAME}`,
  },
  {
    name: 'a target of main refuses a source of 1.6',
    source: { ...pki, client: await pki.issue(LEGACY_CLIENT_NAME, 'client') },
    target: { ...pki, acceptedClientNames: [MIGRATION_CLIENT_NAME] },
    sourceSays: `want ${MIGRATION_CLIENT_NAME}`,
    targetSays: `common name is invalid, got ${LEGACY_CLIENT_NAME}`,
  },
  {
    name: 'the server certificate has another name',
    source: pki,
    target: { ...pki, server: await pki.issue('kubevirt.io:system:node:other', 'server') },
    sourceSays: `common name is invalid, got kubevirt.io:system:node:other, expected ${SERVER_NAME}`,
    targetSays: `ours isn't named ${SERVER_NAME}`,
  },
  {
    name: 'the client certificate has expired',
    source: { ...pki, client: await pki.issue(MIGRATION_CLIENT_NAME, 'client', past) },
    target: pki,
    sourceSays: 'ours is not valid now',
    targetSays: "certificate has expired or is not yet valid: the source's ended",
  },
  {
    name: 'the server certificate is not valid yet',
    source: pki,
    target: { ...pki, server: await pki.issue(SERVER_NAME, 'server', future) },
    sourceSays: "certificate has expired or is not yet valid: the target's begins",
    targetSays: 'ours is not valid now',
  },
  {
    name: 'the server certificate is a client certificate',
    source: pki,
    target: { ...pki, server: await pki.issue(SERVER_NAME, 'client') },
    sourceSays: 'certificate specifies an incompatible key usage',
    targetSays: 'ours is no server certificate',
  },
  {
    name: 'the source has no certificate yet',
    source: { ca: pki.ca },
    target: pki,
    sourceSays: 'No client certificate, client is not yet ready to talk to the server',
    targetSays: '',
  },
  {
    name: 'the target has no certificate yet',
    source: pki,
    target: { ca: pki.ca },
    sourceSays: 'EOF: the target hung up during the TLS handshake',
    targetSays: 'No server certificate, server is not yet ready to receive traffic',
  },
  {
    name: 'only the target speaks TLS',
    source: 'disabled',
    target: pki,
    sourceSays: 'it expects TLS, which this source does not speak',
    targetSays: 'first record does not look like a TLS handshake',
  },
  {
    name: 'only the source speaks TLS',
    source: pki,
    target: 'disabled',
    sourceSays: "doesn't speak TLS",
    targetSays: 'the source speaks TLS, this listener does not',
  },
]

test.each<[string, (piece: Buffer) => Buffer]>([
  ['changed', (piece) => Buffer.concat([piece.subarray(0, -1), Buffer.of(piece.at(-1)! ^ 1)])],
  ['lost', (piece) => piece.subarray(0, -1)],
])('bytes that are %s on the way are told on both sides, and never passed on', async (_, spoil) => {
  const sent = randomBytes(200_000)
  const got: Buffer[] = []
  const dir = await tempDir()
  await unixServer(`${dir}/backend`, (socket) => {
    socket.on('data', (bytes) => {
      got.push(bytes)
      socket.write('yes')
    })
  })
  const [target, source] = [testManager(pki), testManager(pki)]
  await target.startTargetListener('uid', [`${dir}/backend`])
  const [port] = Object.keys(target.targetListenerPorts('uid'))
  let spoils = false
  const between = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => {})
    near.on('data', (piece) => far.write(spoils ? spoil(piece) : piece))
    near.on('close', () => far.destroy())
    far.pipe(near)
    far.on('close', () => near.destroy())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void between.close())
  await once(between, 'listening')
  const { port: way } = between.address() as { port: number }
  await source.startSourceListener('uid', '127.0.0.1', { [way]: 0 }, dir)
  const client = await unixClient(source.sourceListenerFiles('uid')[0]!)
  client.write(sent.subarray(0, 5))
  await once(client, 'data')
  spoils = true
  const gone = readAll(client)
  client.write(sent.subarray(5))
  await gone
  client.destroy()
  await Promise.all([source.idle(), target.idle()])
  const arrived = Buffer.concat(got)
  expect(arrived.length).toBeLessThan(sent.length)
  expect(arrived).toEqual(sent.subarray(0, arrived.length))
  const [atSource, atTarget] = [source, target].map(({ records }) =>
    records.filter(({ level }) => level === 'error').map(({ code }) => code),
  )
  expect(atTarget).toEqual(['tls-broken'])
  // A reset by the target may have overtaken its alert.
  expect(atSource).toEqual([expect.stringMatching(/^(tls-broken|broke-off|write-failed)$/)])
})

describe('a mismatch is one clear line on both sides, and not a byte gets through', () => {
  test.each(MISMATCHES)('$name', async ({ source, target, sourceSays, targetSays }) => {
    let got = 0
    const pair = await unequalPair(source, target, (socket) => {
      // What a plain target passes on of a TLS source is no stream of the guest's.
      socket.on('data', (bytes) => {
        if (target !== 'disabled') got += bytes.length
      })
      socket.once('end', () => socket.end())
      if (target === 'disabled') setTimeout(() => socket.end('libvirt says: too large'), 50)
    })
    const client = await unixClient(pair.file)
    client.write('secret')
    await readAll(client)
    client.end()
    await Promise.all([pair.source.idle(), pair.target.idle()])
    expect(got).toBe(0)
    for (const [manager, says] of [
      [pair.source, sourceSays],
      [pair.target, targetSays],
    ] as const) {
      const reasons = complaints(manager)
      expect(reasons.join('\n')).toContain(says)
      for (const reason of reasons) expect(reason).not.toContain('\n')
    }
  })

  test('both certificates are named with their dates', async () => {
    const { source, target, file } = await unequalPair(
      { ...pki, client: await pki.issue(MONITORING, 'client') },
      pki,
      echo,
    )
    await readAll((await unixClient(file)).end('x'))
    await Promise.all([source.idle(), target.idle()])
    for (const manager of [source, target]) {
      const reason = complaints(manager).at(-1)
      expect(reason).toMatch(new RegExp(`CN=${MONITORING} \\(signed by kubevirt.io@\\d+, valid 20`))
      expect(reason).toMatch(
        new RegExp(`CN=${SERVER_NAME} \\(signed by kubevirt.io@\\d+, valid 20`),
      )
    }
  })

  test("a missing socket on the target isn't taken for a refusal", async () => {
    const dir = await tempDir()
    const [target, source] = [testManager(pki), testManager(pki)]
    await target.startTargetListener('uid', [`${dir}/missing`])
    await source.startSourceListener('uid', '127.0.0.1', target.targetListenerPorts('uid'), dir)
    const client = await unixClient(source.sourceListenerFiles('uid')[0]!)
    client.write('x')
    await readAll(client)
    client.end()
    await Promise.all([source.idle(), target.idle()])
    expect(complaints(target)).toEqual([
      `dial unix ${dir}/missing: connect: no such file or directory`,
    ])
    expect(complaints(source)[0]).toContain("its launcher's socket is missing or refuses")
  })
})

test.each([
  ['main and 1.7 to 1.9', MIGRATION_CLIENT_NAME],
  ['releases up to 1.6', LEGACY_CLIENT_NAME],
])('sources of %s are let in', async (_, name) => {
  const { file } = await unequalPair({ ...pki, client: await pki.issue(name, 'client') }, pki, echo)
  const client = await unixClient(file)
  client.end('hello')
  expect(String(await readAll(client))).toBe('hello')
})

test('certificates that change count for new connections; those that are open go on', async () => {
  const next = await testPki()
  const bundle = `${pki.ca}\n${next.ca}`
  let tls: ProxyTls = { ...pki, ca: bundle }
  const dir = await tempDir()
  await unixServer(`${dir}/backend`, echo)
  const target = testManager('disabled', { tls: () => tls })
  const source = testManager('disabled', { tls: () => tls })
  await target.startTargetListener('uid', [`${dir}/backend`])
  const ports = target.targetListenerPorts('uid')
  await source.startSourceListener('uid', '127.0.0.1', ports, dir)
  const file = source.sourceListenerFiles('uid')[0]!
  const before = await unixClient(file)
  before.write('before ')
  await once(before, 'data')

  tls = { ...next, ca: next.ca }
  const after = await unixClient(file)
  after.end('after')
  expect(String(await readAll(after))).toBe('after')
  const rest = readAll(before)
  before.end('and on')
  expect(String(await rest)).toBe('and on')
  await target.startTargetListener('uid', [`${dir}/backend`])
  expect(target.targetListenerPorts('uid')).toEqual(ports)
})

describe.skipIf(!commandExists('openssl'))("openssl's client and server as peers", () => {
  test.each(['-tls1_2', '-tls1_3'])('s_client %s at our target', async (version) => {
    const dir = await withFiles()
    await unixServer(`${dir}/backend`, echo)
    const target = testManager(pki)
    await target.startTargetListener('uid', [`${dir}/backend`])
    const [port] = Object.keys(target.targetListenerPorts('uid'))
    const client = spawn(
      'openssl',
      [
        's_client',
        '-quiet',
        version,
        '-connect',
        `127.0.0.1:${port}`,
        '-CAfile',
        `${dir}/ca.pem`,
      ].concat(['-verify_return_error', '-cert', `${dir}/client.pem`, '-key', `${dir}/client.pem`]),
      { stdio: ['pipe', 'pipe', 'ignore'] },
    )
    onTestFinished(() => void client.kill('SIGKILL'))
    client.stdin.write('hello from openssl\n')
    expect(String(await once(client.stdout, 'data'))).toBe('hello from openssl\n')
    client.kill('SIGKILL')
    await target.idle()
  })

  test.each(['-tls1_2', '-tls1_3'])('our source at s_server %s', async (version) => {
    const { source, file } = await sourceAtOpenssl(version, pki)
    const client = await unixClient(file)
    client.write('hello\n')
    expect(String(await once(client, 'data'))).toBe('olleh\n')
    client.destroy()
    await source.idle()
  })

  test.each(['-tls1_2', '-tls1_3'])(
    'a target that refuses the new certificate over %s gets the old one, and not a byte is lost or sent twice',
    async (version) => {
      const { source, file } = await sourceAtOpenssl(version, {
        ...pki,
        client: await other.issue(MIGRATION_CLIENT_NAME, 'client'),
        legacyClient: await pki.issue(LEGACY_CLIENT_NAME, 'client'),
      })
      const fallbacks = () =>
        source.records.filter(({ msg }) => msg === 'handshake failed, fallback to old tls config')
      for (const [word, reversed] of [
        ['first', 'tsrif'],
        ['second', 'dnoces'],
      ] as const) {
        const client = await unixClient(file)
        client.write(`${word}\n`)
        expect(String(await once(client, 'data'))).toBe(`${reversed}\n`)
        client.destroy()
        await source.idle()
      }
      // The second connection starts with what the first one found out.
      expect(fallbacks()).toHaveLength(1)
      expect(fallbacks()[0]!.reason).toContain(
        "unknown certificate authority; it doesn't trust ours",
      )
    },
  )

  test.each(['-tls1_2', '-tls1_3'])(
    'what the alert of a target says over %s is told, though it may come after the handshake',
    async (version) => {
      const { source, file } = await sourceAtOpenssl(version, {
        ...pki,
        client: await other.issue(MIGRATION_CLIENT_NAME, 'client'),
      })
      const client = await unixClient(file)
      await readAll(client)
      client.destroy()
      await source.idle()
      const errors = source.records.filter(({ level }) => level === 'error')
      expect(errors.map(({ code }) => code)).toEqual(['tls-we-are-unknown'])
      expect(errors[0]!.reason).toContain("unknown certificate authority; it doesn't trust ours")
    },
  )
})

/** A source whose target is openssl's server, and the socket in front of it. */
async function sourceAtOpenssl(version: string, tls: Parameters<typeof testManager>[0]) {
  const port = await reversingServer([version])
  const source = testManager(tls)
  await source.startSourceListener('uid', '127.0.0.1', { [port]: 0 }, await tempDir())
  return { source, file: source.sourceListenerFiles('uid')[0]! }
}

/** openssl's server, which sends back each line reversed and refuses certificates with an alert. */
async function reversingServer(options: string[]): Promise<number> {
  const dir = await withFiles()
  const args = ['s_server', ...options, '-accept', '127.0.0.1:0', '-CAfile', `${dir}/ca.pem`]
  const identity = ['-cert', `${dir}/server.pem`, '-key', `${dir}/server.pem`]
  const strict = ['-Verify', '1', '-verify_return_error', '-rev']
  const server = spawn('openssl', [...args, ...identity, ...strict], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = once(server, 'exit')
  onTestFinished(async () => {
    server.kill('SIGKILL')
    await exited
  })
  let said = ''
  server.stdout.on('data', (text) => {
    said += text
  })
  await until(() => /ACCEPT \S+:\d+/.test(said))
  return Number(/ACCEPT \S+:(\d+)/.exec(said)![1])
}

async function unequalPair(
  sourceTls: ProxyTls | 'disabled',
  targetTls: ProxyTls | 'disabled',
  backend: (socket: Socket) => void,
): Promise<{ source: TestManager; target: TestManager; file: string }> {
  const dir = await tempDir()
  await unixServer(`${dir}/backend`, backend)
  const options = { limits: { handshakeMs: 2000 } }
  const target = testManager(targetTls, options)
  const source = testManager(sourceTls, options)
  await target.startTargetListener('uid', [`${dir}/backend`])
  await source.startSourceListener('uid', '127.0.0.1', target.targetListenerPorts('uid'), dir)
  return { source, target, file: source.sourceListenerFiles('uid')[0]! }
}

function complaints({ records }: { records: ProxyRecord[] }): string[] {
  return records.filter(({ level }) => level !== 'info').map(({ reason }) => reason ?? '')
}

/** The files that openssl wants. */
async function withFiles(): Promise<string> {
  const dir = await tempDir()
  await writeFile(`${dir}/ca.pem`, pki.ca)
  await writeFile(`${dir}/server.pem`, `${pki.server.cert}\n${pki.server.key}`)
  await writeFile(`${dir}/client.pem`, `${pki.client.cert}\n${pki.client.key}`)
  return dir
}
