import { readFileSync, writeFileSync } from 'node:fs'
import type { TLSSocket } from 'node:tls'
import { describe, expect, test } from 'vitest'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { ClusterOptions } from '../../src/cluster/config.ts'
import { impatientClock } from './clock.ts'
import { testFolder } from './folder.ts'
import {
  base64,
  clientPair,
  connectTo,
  type Handler,
  serve,
  status,
  type TestServer,
} from './server.ts'

function as(server: TestServer, user: object, options: ClusterOptions = {}): Promise<Cluster> {
  return connectTo(server, { user }, { interactive: false, ...options })
}

const version = { path: '/version' }
const authorization: Handler = ({ headers }) => headers.authorization ?? 'none'

describe('fixed credentials', () => {
  test.each([
    ['none', {}, 'none'],
    ['a token', { token: 'abc' }, 'Bearer abc'],
    ['a name and password', { username: 'a', password: 'b:c' }, `Basic ${base64('a:b:c')}`],
  ])('%s', async (_, user, expected) => {
    const server = await serve(authorization)
    expect(await (await as(server, user)).request(version)).toBe(expected)
  })

  test('a token file goes before a token, and is read again when it has been rotated', async () => {
    const server = await serve(authorization)
    const folder = testFolder()
    const tokenFile = folder.write('token', 'first\n')
    const cluster = await as(server, { tokenFile, token: 'fixed' })
    expect(await cluster.request(version)).toBe('Bearer first')
    writeFileSync(tokenFile, 'second\n')
    expect(await cluster.request(version)).toBe('Bearer second')
    const missing = await as(server, { tokenFile: `${folder.path}/missing` })
    await expect(missing.request(version)).rejects.toThrow(
      /cannot read the token file .*: no such file/,
    )
  })

  test('a client certificate', async () => {
    const server = await serve(
      (_, __, request) => (request.socket as TLSSocket).getPeerCertificate().subject,
      { requestClientCertificate: true },
    )
    const { cert, key } = await clientPair('jane')
    const user = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) }
    expect(await (await as(server, user)).request(version)).toEqual({ CN: 'jane' })
  })

  test('impersonation of a user with groups, uid and extra', async () => {
    const server = await serve((_, __, request) =>
      request.rawHeaders.flatMap((word, i, all) =>
        i % 2 === 0 && /^impersonate/i.test(word) ? [`${word}: ${all[i + 1]}`] : [],
      ),
    )
    const user = { 'as-uid': '7', 'as-user-extra': { 'example.com/Scopes': ['x', 'y'] } }
    const cluster = await as(server, user, { as: 'jane', asGroups: ['g1', 'g2'] })
    expect(await cluster.request(version)).toEqual([
      'impersonate-user: jane',
      'impersonate-group: g1',
      'impersonate-group: g2',
      'impersonate-uid: 7',
      'impersonate-extra-example.com%2Fscopes: x',
      'impersonate-extra-example.com%2Fscopes: y',
    ])
  })
})

describe('credential plugins', () => {
  const V1 = 'client.authentication.k8s.io/v1'
  const credential = (status: object, apiVersion = V1) =>
    JSON.stringify({ kind: 'ExecCredential', apiVersion, status })

  /** A plugin that runs a shell script; `$0.log` beside it keeps what the test wants to see. */
  function plugin(script: string, more: object = {}) {
    const folder = testFolder()
    const command = folder.write('plugin', `#!/bin/sh\n${script}\n`, 0o700)
    const log = () => readFileSync(`${command}.log`, 'utf8')
    return { exec: { apiVersion: V1, command, interactiveMode: 'Never', ...more }, log }
  }

  test('gives a token, once for many requests', async () => {
    const server = await serve(authorization)
    const { exec, log } = plugin(`echo run >> $0.log; echo '${credential({ token: 't' })}'`)
    const cluster = await as(server, { exec })
    const answers = await Promise.all([1, 2, 3].map(() => cluster.request(version)))
    expect(answers).toEqual(['Bearer t', 'Bearer t', 'Bearer t'])
    expect(await cluster.request(version)).toBe('Bearer t')
    expect(log()).toBe('run\n')
  })

  test('gives a client certificate', async () => {
    const server = await serve(
      (_, __, request) => (request.socket as TLSSocket).getPeerCertificate().subject,
      { requestClientCertificate: true },
    )
    const { cert, key } = await clientPair('jane')
    const folder = testFolder()
    const answer = folder.write(
      'answer',
      credential({ clientCertificateData: cert, clientKeyData: key }),
    )
    expect(
      await (await as(server, { exec: plugin(`cat ${answer}`).exec })).request(version),
    ).toEqual({ CN: 'jane' })
  })

  test('is told what it is for, with its own arguments and environment', async () => {
    const server = await serve(authorization)
    const { exec, log } = plugin(
      `printf '%s\\n' "$1 $COLOR $HOUSE" "$KUBERNETES_EXEC_INFO" > $0.log; echo '${credential({ token: 't' })}'`,
      { args: ['get token'], env: [{ name: 'COLOR', value: 'red' }], provideClusterInfo: true },
    )
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }]
    const cluster = await connectTo(
      server,
      { user: { exec }, cluster: { extensions, 'tls-server-name': 'localhost' } },
      { env: { PATH: process.env['PATH'], HOUSE: 'blue' } },
    )
    await cluster.request(version)
    const [words, info] = log().split('\n')
    expect(words).toBe('get token red blue')
    expect(JSON.parse(info!)).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1,
      spec: {
        interactive: false,
        cluster: {
          server: server.url,
          'tls-server-name': 'localhost',
          'certificate-authority-data': base64(server.ca),
          config: { audience: 'x' },
        },
      },
    })
  })

  test('may talk to a person when there is one, and it wants to', async () => {
    const server = await serve(authorization)
    const toldInteractive = async (interactiveMode: string) => {
      const { exec, log } = plugin(
        `echo "$KUBERNETES_EXEC_INFO" > $0.log; echo '${credential({ token: 't' })}'`,
        { interactiveMode },
      )
      await (await as(server, { exec }, { interactive: true })).request(version)
      return JSON.parse(log()).spec
    }
    expect(await toldInteractive('IfAvailable')).toEqual({ interactive: true })
    expect(await toldInteractive('Always')).toEqual({ interactive: true })
    expect(await toldInteractive('Never')).toEqual({ interactive: false })
  })

  test('is asked again when its token expires', async () => {
    const server = await serve(authorization)
    const clock = impatientClock()
    const expirationTimestamp = new Date(Date.now() + 60_000).toISOString()
    const { exec, log } = plugin(
      `echo run >> $0.log; echo '${credential({ token: 't', expirationTimestamp })}'`,
    )
    const cluster = await as(server, { exec }, { clock })
    await cluster.request(version)
    await cluster.request(version)
    expect(log()).toBe('run\n')
    clock.now = () => Date.now() + 61_000
    await cluster.request(version)
    expect(log()).toBe('run\nrun\n')
  })

  test('is asked again, once, when its token is refused', async () => {
    const server = await serve(({ headers }, response) =>
      headers.authorization === 'Bearer 2' ? {} : status(response, 401, {}),
    )
    const { exec, log } = plugin(
      `echo run >> $0.log; n=$(wc -l < $0.log); echo '${credential({ token: 'N' })}' | sed "s/N/$((n))/"`,
    )
    const cluster = await as(server, { exec })
    expect(
      await Promise.all([
        cluster.request(version),
        cluster.request({ ...version, method: 'POST' }),
      ]),
    ).toEqual([{}, {}])
    expect(log()).toBe('run\nrun\n')

    const refusing = await serve((_, response) => status(response, 401, {}))
    const other = plugin(`echo run >> $0.log; echo '${credential({ token: 't' })}'`)
    await expect((await as(refusing, { exec: other.exec })).request(version)).rejects.toMatchObject(
      { status: 401 },
    )
    expect(other.log()).toBe('run\nrun\n')
  })

  test.each([
    [
      'that is not installed',
      { command: 'no-such-plugin', installHint: 'install it\n' },
      '',
      'it is not installed',
      'install it',
    ],
    [
      'that fails',
      {},
      'echo "please log in" >&2; exit 3',
      'it ended with exit code 3: please log in',
      undefined,
    ],
    ['that is killed', {}, 'kill -9 $$', 'it was ended by SIGKILL', undefined],
    ['that prints no JSON', {}, 'echo secret', 'what it printed is no JSON', undefined],
    [
      'of another version',
      {},
      `echo '${credential({ token: 't' }, 'client.authentication.k8s.io/v1beta1')}'`,
      'it printed ExecCredential of client.authentication.k8s.io/v1beta1, not ExecCredential of client.authentication.k8s.io/v1',
      undefined,
    ],
    [
      'that gives nothing',
      {},
      `echo '${credential({})}'`,
      'it printed neither a token nor a client certificate',
      undefined,
    ],
    [
      'that must talk to a person',
      { interactiveMode: 'Always' },
      '',
      'it must talk to a person, and standard input is no terminal',
      undefined,
    ],
  ])('one %s is told in one line', async (_, more, script, why, hint) => {
    const server = await serve(authorization)
    const { exec } = plugin(script, more)
    const cluster = await as(server, { exec })
    await expect(cluster.request(version)).rejects.toMatchObject({
      message: `no credentials from plugin ${exec.command}: ${why}`,
      hint,
      exit: 1,
      code: 'CREDENTIALPLUGIN',
    })
    expect(server.seen).toHaveLength(0)
  })

  test('one that hangs is ended by the time limit, with all that it started', async () => {
    const server = await serve(authorization)
    const { exec } = plugin('sleep 60')
    const cluster = await as(server, { exec }, { requestTimeoutMs: 100 })
    await expect(cluster.request(version)).rejects.toMatchObject({
      message: `cannot GET /version: no credentials from credential plugin ${exec.command} within 0.1s`,
      code: 'TIMEOUT',
    })
  })

  test('one that several wait for goes on when the first has lost interest', async () => {
    const server = await serve(authorization)
    const { exec, log } = plugin(
      `echo run >> $0.log; sleep 0.3; echo '${credential({ token: 't' })}'`,
    )
    const cluster = await as(server, { exec })
    const stop = new AbortController()
    const first = cluster.request({ ...version, signal: stop.signal })
    first.catch(() => undefined)
    const second = cluster.request(version)
    setTimeout(() => stop.abort('enough'), 50)
    await expect(first).rejects.toBe('enough')
    expect(await second).toBe('Bearer t')
    expect(log()).toBe('run\n')
  })
})

describe('identity providers', () => {
  const token = (claims: object) =>
    [{ alg: 'RS256' }, claims, '']
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
  const lasting = () => Math.floor(Date.now() / 1000) + 3600

  const userOf = (config: object) => ({ 'auth-provider': { name: 'oidc', config } })

  test('the token of the kubeconfig is used while it lasts', async () => {
    const server = await serve(authorization)
    const idToken = token({ exp: lasting() })
    const cluster = await as(server, userOf({ 'id-token': idToken }))
    expect(await cluster.request(version)).toBe(`Bearer ${idToken}`)
  })

  test('an expired one is renewed with the refresh token, once', async () => {
    const server = await serve(authorization)
    let fresh = ''
    const provider = await serve(({ url }) => {
      const issuer = provider.url
      if (url !== '/token') return { issuer, token_endpoint: `${issuer}/token` }
      const now = lasting() - 3600
      fresh = token({ iss: issuer, sub: 'a', aud: 'c', iat: now, exp: now + 3600 })
      return { access_token: 'x', token_type: 'bearer', id_token: fresh, expires_in: 3600 }
    })
    const cluster = await as(
      server,
      userOf({
        'id-token': token({ exp: 1 }),
        'client-id': 'c',
        'refresh-token': 'r',
        'idp-issuer-url': provider.url,
        'idp-certificate-authority-data': base64(provider.ca),
      }),
    )
    expect(await cluster.request(version)).toBe(`Bearer ${fresh}`)
    await cluster.request(version)
    expect(provider.seen.filter(({ url }) => url === '/token')).toHaveLength(1)
    expect(provider.seen.at(-1)!.body).toContain('refresh_token=r')
  })

  test('a provider that cannot be reached is named', async () => {
    const server = await serve(authorization)
    const cluster = await as(
      server,
      userOf({
        'id-token': token({ exp: 1 }),
        'client-id': 'c',
        'refresh-token': 'r',
        'idp-issuer-url': 'https://127.0.0.1:1',
      }),
    )
    await expect(cluster.request(version)).rejects.toMatchObject({
      message: expect.stringContaining('no token from https://127.0.0.1:1: '),
      code: 'AUTHPROVIDER',
    })
  })
})
