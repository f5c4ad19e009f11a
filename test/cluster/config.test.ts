import { delimiter } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ClusterOptions, resolveTarget } from '../../src/cluster/config.ts'
import type { MigError } from '../../src/errors.ts'
import { testFolder } from './folder.ts'
import { base64, clientPair, testAuthority } from './server.ts'

const KUBECONFIG = `
current-context: one
contexts:
- name: one
  context: {cluster: c1, user: u1, namespace: team}
- name: two
  context: {cluster: c2, user: u2}
- name: nobody
  context: {cluster: c1}
- name: broken
  context: {cluster: c1, user: gone}
- name: lost
  context: {cluster: gone, user: u1}
clusters:
- name: c1
  cluster: {server: "https://one:6443/"}
- name: c2
  cluster: {server: "https://two:6443/k8s/prefix"}
users:
- name: u1
  user: {token: t1}
- name: u2
  user: {token: t2}
`

const resolve = (options: ClusterOptions) =>
  resolveTarget({ kubeconfigText: KUBECONFIG, env: {}, ...options })

const failure = (options: ClusterOptions) =>
  failureOf({ kubeconfigText: KUBECONFIG, env: {}, ...options })

function failureOf(options: ClusterOptions): MigError {
  try {
    resolveTarget(options)
  } catch (err) {
    return err as MigError
  }
  throw new Error('it did not fail')
}

/** A kubeconfig of one cluster and one user. */
function single({
  cluster = {},
  user = {},
  context = {},
}: {
  cluster?: object
  user?: object
  context?: object
}): string {
  return JSON.stringify(
    {
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', ...context } }],
      clusters: [{ name: 'c', cluster: { server: 'https://h:6443', ...cluster } }],
      users: [{ name: 'u', user }],
    },
    null,
    1,
  )
}

describe('contexts', () => {
  test.each([
    [{}, 'one', 'team', 'https://one:6443', 't1'],
    [{ context: 'two' }, 'two', 'default', 'https://two:6443/k8s/prefix', 't2'],
    [{ namespace: 'mine' }, 'one', 'mine', 'https://one:6443', 't1'],
    [{ cluster: 'c2' }, 'one', 'team', 'https://two:6443/k8s/prefix', 't1'],
    [{ user: 'u2' }, 'one', 'team', 'https://one:6443', 't2'],
    [{ context: 'nobody' }, 'nobody', 'default', 'https://one:6443', undefined],
    [{ context: 'broken', user: 'u2' }, 'broken', 'default', 'https://one:6443', 't2'],
  ])('%j is context %s, namespace %s, server %s', (options, context, namespace, url, token) => {
    const target = resolve(options)
    expect(target).toMatchObject({ context, namespace, server: { url }, user: { token } })
  })

  test.each([
    [
      { context: 'three' },
      'there is no context "three" in kubeconfig',
      'contexts that exist: one, two, nobody, broken, lost',
    ],
    [{ user: 'u3' }, 'there is no user "u3" in kubeconfig', 'users that exist: u1, u2'],
    [{ cluster: 'c3' }, 'there is no cluster "c3" in kubeconfig', 'clusters that exist: c1, c2'],
    [
      { context: 'broken' },
      'kubeconfig:11: context "broken" names user "gone", which is not there',
      'users that exist: u1, u2',
    ],
    [
      { context: 'lost' },
      'kubeconfig:13: context "lost" names cluster "gone", which is not there',
      'clusters that exist: c1, c2',
    ],
    [
      { kubeconfigText: KUBECONFIG.replace('current-context: one', '') },
      'no current context is set in kubeconfig',
      'give --context; contexts that exist: one, two, nobody, broken, lost',
    ],
    [{ asGroups: ['g'] }, '--as-group needs --as: a group is impersonated with a user', undefined],
  ])('%j is refused', (options, message, hint) => {
    expect(failure(options)).toMatchObject({ message, hint, exit: 2, code: 'KUBECONFIG' })
  })
})

describe('files', () => {
  test('$KUBECONFIG is a list of which missing files are skipped', () => {
    const folder = testFolder()
    const file = folder.write('config', KUBECONFIG)
    const env = { KUBECONFIG: ['', `${folder.path}/missing`, file].join(delimiter) }
    expect(resolveTarget({ env }).context).toBe('one')
    expect(() => resolveTarget({ env, context: 'three' })).toThrow(
      `there is no context "three" in ${file}`,
    )
  })

  test('--kubeconfig goes before $KUBECONFIG and must be there', () => {
    const folder = testFolder()
    const env = { KUBECONFIG: folder.write('config', KUBECONFIG) }
    const other = folder.write(
      'other',
      KUBECONFIG.replace('current-context: one', 'current-context: two'),
    )
    expect(resolveTarget({ env, kubeconfig: other }).context).toBe('two')
    expect(() => resolveTarget({ env, kubeconfig: `${folder.path}/missing` })).toThrow(
      'missing: no such file',
    )
  })

  test('files that $KUBECONFIG names, none of which is there, are named', () => {
    expect(failureOf({ env: { KUBECONFIG: '/nowhere/a:/nowhere/b' } })).toMatchObject({
      message: 'there is no kubeconfig: /nowhere/a, /nowhere/b does not exist',
      exit: 2,
    })
  })

  test('without either it is ~/.kube/config, and without that there is no cluster', () => {
    const folder = testFolder()
    expect(() => resolveTarget({ env: { HOME: folder.path } })).toThrow('there is no kubeconfig')
    expect(failureOf({ env: { HOME: folder.path } })).toMatchObject({
      exit: 2,
      hint: expect.stringContaining('--kubeconfig'),
    })
  })

  test('in a pod without a kubeconfig it is the service account', () => {
    const folder = testFolder()
    const tokenFile = folder.write('token', 'secret')
    folder.write('namespace', 'vms\n')
    folder.write('ca.crt', 'PEM')
    const env = {
      HOME: '/nowhere',
      KUBERNETES_SERVICE_HOST: 'fd00::1',
      KUBERNETES_SERVICE_PORT: '443',
    }
    const target = resolveTarget({ env, serviceAccount: folder.path })
    expect(target).toMatchObject({
      context: undefined,
      namespace: 'vms',
      server: { url: 'https://[fd00::1]:443', ca: 'PEM', skipTlsVerify: false },
      user: { tokenFile, token: undefined },
    })
    expect(resolveTarget({ env, serviceAccount: folder.path, namespace: 'n' }).namespace).toBe('n')
    expect(() => resolveTarget({ env, serviceAccount: '/nowhere' })).toThrow(
      'there is no kubeconfig',
    )
  })

  test('file names count from the folder of the kubeconfig that names them', async () => {
    const folder = testFolder()
    const { cert, key } = await clientPair()
    folder.write('c.pem', cert)
    folder.write('k.pem', key)
    folder.write('ca.pem', (await testAuthority()).cert)
    const user = { 'client-certificate': 'c.pem', 'client-key': 'k.pem', tokenFile: 'token' }
    const kubeconfig = folder.write(
      'config',
      single({ user, cluster: { 'certificate-authority': 'ca.pem' } }),
    )
    const target = resolveTarget({ kubeconfig, env: {} })
    expect(target.user).toMatchObject({ cert, key, tokenFile: `${folder.path}/token` })
    expect(target.server.ca).toBe((await testAuthority()).cert)
  })
})

describe('servers', () => {
  test.each([
    [{ server: 'https://h:6443/' }, 'https://h:6443'],
    [{ server: 'http://h:8080' }, 'http://h:8080'],
    [{ server: 'h:8080' }, 'http://h:8080'],
    [{ server: 'h:6443', 'insecure-skip-tls-verify': true }, 'https://h:6443'],
    [{ server: 'https://[fd00::1]:6443/prefix//' }, 'https://[fd00::1]:6443/prefix'],
  ])('%j is %s', (cluster, url) => {
    expect(resolve({ kubeconfigText: single({ cluster }) }).server.url).toBe(url)
  })

  test.each([
    [{ server: '' }, 'cluster "c" has no "server"'],
    [{ server: 6443 }, '"server" must be a string'],
    [{ server: 'ftp://h' }, '"server" must be a URL such as https://HOST:6443'],
    [{ server: 'https://' }, '"server" must be a URL such as https://HOST:6443'],
    [{ 'insecure-skip-tls-verify': 'yes' }, '"insecure-skip-tls-verify" must be true or false'],
    [
      { 'certificate-authority-data': '%%%' },
      '"certificate-authority-data" must be PEM, in base64',
    ],
    [{ 'certificate-authority': 'missing.pem' }, '"certificate-authority": cannot read '],
    [{ 'proxy-url': 'gopher://p' }, '"proxy-url" must be an http, https or socks5 URL'],
  ])('%j is refused with its line', (cluster, message) => {
    const err = failure({ kubeconfigText: single({ cluster }) })
    expect(err.message).toContain(message)
    expect(err.message).toMatch(/kubeconfig:\d+: /)
    expect(err.exit).toBe(2)
  })

  test('an authority excludes skipping the check of it', async () => {
    const cluster = {
      'certificate-authority-data': base64((await testAuthority()).cert),
      'insecure-skip-tls-verify': true,
    }
    expect(failure({ kubeconfigText: single({ cluster }) }).message).toContain(
      'cluster "c" has both',
    )
  })

  test('proxy-url goes before the environment', () => {
    const env = { HTTPS_PROXY: 'http://env:1' }
    const proxyOf = (cluster: object) =>
      resolve({ env, kubeconfigText: single({ cluster }) }).server.proxyUrl
    expect(proxyOf({ 'proxy-url': 'socks5://p:2' })).toBe('socks5://p:2')
    expect(proxyOf({})).toBe('http://env:1')
  })
})

describe('users', () => {
  test('inline data goes before files', async () => {
    const { cert, key } = await clientPair()
    const user = {
      'client-certificate-data': base64(cert),
      'client-certificate': 'missing.pem',
      'client-key-data': base64(key),
      'client-key': 'missing.pem',
    }
    expect(resolve({ kubeconfigText: single({ user }) }).user).toMatchObject({ cert, key })
  })

  test('a certificate and key that do not match are named with their user and files', async () => {
    const folder = testFolder()
    const [one, other] = [await clientPair(), await clientPair()]
    const cert = folder.write('one.crt', one.cert)
    const key = folder.write('other.key', other.key)
    const user = { 'client-certificate': cert, 'client-key': key }
    expect(failure({ kubeconfigText: single({ user }) })).toMatchObject({
      exit: 2,
      message: `client certificate and key of user "u" don't match: certificate ${cert}, key ${key}`,
    })
    const inline = {
      'client-certificate-data': base64(one.cert),
      'client-key-data': base64(other.key),
    }
    expect(failure({ kubeconfigText: single({ user: inline }) }).message).toMatch(
      /certificate kubeconfig:\d+, key kubeconfig:\d+$/,
    )
  })

  test('half a pair, and what is no certificate or key, is told', async () => {
    const { cert, key } = await clientPair()
    const message = (user: object) => failure({ kubeconfigText: single({ user }) }).message
    const garbage = base64('-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n')
    expect(message({ 'client-certificate-data': base64(cert) })).toContain(
      'has a client certificate without a key',
    )
    expect(message({ 'client-key-data': base64(key) })).toContain(
      'has a client key without a certificate',
    )
    expect(
      message({ 'client-certificate-data': garbage, 'client-key-data': base64(key) }),
    ).toContain('the client certificate of user "u" is no certificate that can be read')
    expect(
      message({ 'client-certificate-data': base64(cert), 'client-key-data': garbage }),
    ).toContain('the client key of user "u" is no key that can be read')
    const encrypted = base64(
      '-----BEGIN ENCRYPTED PRIVATE KEY-----\nx\n-----END ENCRYPTED PRIVATE KEY-----\n',
    )
    expect(
      message({ 'client-certificate-data': base64(cert), 'client-key-data': encrypted }),
    ).toContain('is encrypted')
  })

  test('no error quotes a token or a key', async () => {
    const { key } = await clientPair()
    const user = { token: 5, 'client-key-data': base64(key) }
    const err = failure({ kubeconfigText: single({ user }) })
    expect(`${err.message} ${err.hint} ${err.cause}`).not.toContain(base64(key).slice(0, 20))
  })

  test.each([
    [{ exec: 'aws' }, '"exec" must be a map'],
    [
      { exec: { apiVersion: 'client.authentication.k8s.io/v1' } },
      '"exec" of user "u" has no "command"',
    ],
    [
      { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
      'needs apiVersion client.authentication.k8s.io/v1 or /v1beta1',
    ],
    [
      { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1', args: 'y' } },
      '"args" must be a list of strings',
    ],
    [
      {
        exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1', env: [{ name: 'A' }] },
      },
      '"env" of "exec" must be a list of maps',
    ],
    [
      {
        exec: {
          command: 'x',
          apiVersion: 'client.authentication.k8s.io/v1',
          interactiveMode: 'Maybe',
        },
      },
      '"interactiveMode" must be Never, IfAvailable or Always',
    ],
    [{ 'auth-provider': {} }, '"auth-provider" needs a "name"'],
    [{ 'as-groups': 'g' }, '"as-groups" must be a list of strings'],
    [{ 'as-user-extra': { k: 'v' } }, '"as-user-extra" must be a map of lists'],
  ])('%j is refused with its line', (user, message) => {
    const err = failure({ kubeconfigText: single({ user }) })
    expect(err.message).toContain(message)
    expect(err.message).toMatch(/kubeconfig:\d+: /)
  })

  test('a plugin that is a path counts from the kubeconfig, one that is a name does not', () => {
    const folder = testFolder()
    const commandOf = (command: string) => {
      const user = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command } }
      return resolveTarget({ kubeconfig: folder.write('config', single({ user })), env: {} }).user
        .exec?.command
    }
    expect(commandOf('aws')).toBe('aws')
    expect(commandOf('./bin/login')).toBe(`${folder.path}/bin/login`)
    expect(commandOf('/opt/login')).toBe('/opt/login')
  })

  test('--as and --as-group replace what the kubeconfig impersonates', () => {
    const user = { as: 'a', 'as-groups': ['g'], 'as-uid': '1', 'as-user-extra': { scopes: ['x'] } }
    const impersonate = (options: ClusterOptions) =>
      resolve({ kubeconfigText: single({ user }), ...options }).user.impersonate
    expect(impersonate({})).toEqual({
      user: 'a',
      groups: ['g'],
      uid: '1',
      extra: { scopes: ['x'] },
    })
    expect(impersonate({ as: 'b', asGroups: ['h'] })).toMatchObject({ user: 'b', groups: ['h'] })
  })
})
