import { describe, expect, test } from 'vitest'
import { isStatus, statusOf } from '../../src/cluster/api-error.ts'
import type { ApiRequest, Cluster } from '../../src/cluster/cluster.ts'
import { resolveTarget } from '../../src/cluster/config.ts'
import { networkError } from '../../src/cluster/network-error.ts'
import { KUBEVIRTS, MIGRATIONS, PODS, pathOf, VMIS } from '../../src/kubevirt/resources.ts'
import { createAuthority } from '../../src/lab/certificates.ts'
import {
  base64,
  clientPair,
  connectTo,
  type Handler,
  kubeconfig,
  type ServerOptions,
  serve,
  status,
} from './server.ts'

const HOUR = 3_600_000

const failure = (cluster: Cluster, request: ApiRequest) =>
  cluster.request(request).then(
    () => expect.unreachable('it did not fail'),
    (err) => err,
  )

const vmi: ApiRequest = { path: pathOf(VMIS, { namespace: 'demo', name: 'vm-9' }) }
const creation: ApiRequest = {
  method: 'POST',
  path: pathOf(MIGRATIONS, { namespace: 'demo' }),
  body: {},
}
const pods: ApiRequest = { path: pathOf(PODS, { namespace: 'demo' }) }

describe('what the API answers', () => {
  const rbac = (user: string, verb: string, resource: string, group: string, where: string) =>
    `${resource}${group && `.${group}`} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`
  const IN_FLIGHT =
    'admission webhook "migration-create-validator.kubevirt.io" denied the request: in-flight migration detected. Active migration job (UID) is currently already in progress for VMI vm-2.'

  test.each([
    {
      name: 'an object that is not there',
      request: vmi,
      code: 404,
      body: {
        reason: 'NotFound',
        message: 'virtualmachineinstances.kubevirt.io "vm-9" not found',
        details: { name: 'vm-9' },
      },
      message:
        'cannot get virtualmachineinstances "vm-9" in namespace "demo": virtualmachineinstances.kubevirt.io "vm-9" not found (SERVER)',
      exit: 9,
    },
    {
      name: 'a kind that is not there',
      request: vmi,
      code: 404,
      body: {
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
        details: {},
      },
      message:
        'cannot get virtualmachineinstances "vm-9" in namespace "demo": the server knows no virtualmachineinstances of kubevirt.io/v1 (SERVER)',
      exit: 9,
      hint: 'is KubeVirt installed on this cluster?',
    },
    {
      name: 'a migration that one may not create',
      request: creation,
      code: 403,
      body: {
        reason: 'Forbidden',
        message: rbac(
          'viewer',
          'create',
          'virtualmachineinstancemigrations',
          'kubevirt.io',
          'in the namespace "demo"',
        ),
      },
      message:
        'cannot create virtualmachineinstancemigrations in namespace "demo": user "viewer" may not create virtualmachineinstancemigrations.kubevirt.io in namespace "demo" (SERVER)',
      exit: 8,
      hint: 'ClusterRole kubevirt.io:migrate grants it since KubeVirt 1.5, kubevirt.io:edit before: kubectl create rolebinding NAME --clusterrole=kubevirt.io:migrate --user=viewer -n demo',
    },
    {
      name: 'VMIs that one may not list, as a service account',
      request: vmi,
      code: 403,
      body: {
        reason: 'Forbidden',
        message: rbac(
          'system:serviceaccount:ops:bot',
          'list',
          'virtualmachineinstances',
          'kubevirt.io',
          'at the cluster scope',
        ),
      },
      message:
        'cannot get virtualmachineinstances "vm-9" in namespace "demo": user "system:serviceaccount:ops:bot" may not list virtualmachineinstances.kubevirt.io cluster-wide (SERVER)',
      exit: 8,
      hint: 'ClusterRole kubevirt.io:view grants it: kubectl create clusterrolebinding NAME --clusterrole=kubevirt.io:view --serviceaccount=ops:bot',
    },
    {
      name: 'pods that one may not list',
      request: pods,
      code: 403,
      body: {
        reason: 'Forbidden',
        message: rbac('viewer', 'list', 'pods', '', 'in the namespace "demo"'),
      },
      message:
        'cannot list pods in namespace "demo": user "viewer" may not list pods in namespace "demo" (SERVER)',
      exit: 8,
      hint: 'a role that allows to list pods must be bound to the user',
    },
    {
      name: 'the KubeVirt CR, which no role lets one watch',
      request: { path: pathOf(KUBEVIRTS), query: { watch: true } },
      code: 403,
      body: {
        reason: 'Forbidden',
        message: rbac('viewer', 'watch', 'kubevirts', 'kubevirt.io', 'at the cluster scope'),
      },
      message:
        'cannot watch kubevirts: user "viewer" may not watch kubevirts.kubevirt.io cluster-wide (SERVER)',
      exit: 8,
      hint: 'a role that allows to watch kubevirts must be bound to the user',
    },
    {
      name: 'a quota, which is no lack of permission',
      request: { ...pods, method: 'POST' as const },
      code: 403,
      body: {
        reason: 'Forbidden',
        message:
          'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=5, limited: pods=5',
      },
      message:
        'cannot create pods in namespace "demo": pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=5, limited: pods=5 (SERVER)',
      exit: 9,
    },
    {
      name: "a webhook's refusal, word for word",
      request: creation,
      code: 400,
      body: { message: IN_FLIGHT },
      message: `cannot create virtualmachineinstancemigrations in namespace "demo": ${IN_FLIGHT} (SERVER)`,
      exit: 9,
    },
    {
      name: "a webhook's refusal with another status",
      request: creation,
      code: 403,
      body: { reason: 'Forbidden', message: IN_FLIGHT },
      message: `cannot create virtualmachineinstancemigrations in namespace "demo": ${IN_FLIGHT} (SERVER)`,
      exit: 9,
    },
    {
      name: 'a webhook that does not answer',
      request: creation,
      code: 500,
      body: {
        reason: 'InternalError',
        message:
          'Internal error occurred: failed calling webhook "migration-create-validator.kubevirt.io": no endpoints available for service "virt-api"',
      },
      message:
        'cannot create virtualmachineinstancemigrations in namespace "demo": Internal error occurred: failed calling webhook "migration-create-validator.kubevirt.io": no endpoints available for service "virt-api" (SERVER)',
      exit: 1,
      hint: 'is the service behind webhook migration-create-validator.kubevirt.io running?',
    },
    {
      name: 'an object that is invalid, with all causes',
      request: creation,
      code: 422,
      body: {
        reason: 'Invalid',
        message: 'it is invalid: spec.a: Required',
        details: {
          causes: [
            { field: 'spec.a', message: 'Required' },
            { field: 'spec.b', message: 'Forbidden: no' },
          ],
        },
      },
      message:
        'cannot create virtualmachineinstancemigrations in namespace "demo": it is invalid: spec.a: Required: spec.b: Forbidden: no (SERVER)',
      exit: 9,
    },
    {
      name: 'a conflict',
      request: { ...vmi, method: 'PUT' as const },
      code: 409,
      body: { reason: 'Conflict', message: 'the object has been modified' },
      message:
        'cannot update virtualmachineinstances "vm-9" in namespace "demo": the object has been modified (SERVER)',
      exit: 1,
      hint: 'somebody else changed it meanwhile: try again',
    },
    {
      name: 'an object that exists',
      request: creation,
      code: 409,
      body: { reason: 'AlreadyExists', message: 'it already exists' },
      message:
        'cannot create virtualmachineinstancemigrations in namespace "demo": it already exists (SERVER)',
      exit: 1,
    },
    {
      name: 'a Status without words',
      request: { method: 'DELETE' as const, path: '/api/v1/nodes/a' },
      code: 500,
      body: {},
      message: 'cannot delete nodes "a": it gave no reason (SERVER)',
      exit: 1,
    },
  ])('$name', async ({ request, code, body, message, exit, hint }) => {
    const server = await serve((_, response) => status(response, code, body))
    const err = await failure(await connectTo(server), request)
    expect(err.message).toBe(message.replace('SERVER', server.url))
    expect(err).toMatchObject({ exit, hint, status: code })
    expect(isStatus(err, code)).toBe(true)
    expect(isStatus(err, code + 1)).toBe(false)
    expect(statusOf(err)).toMatchObject(body)
  })

  test.each([
    [
      'no credentials',
      {},
      'user "u" has no credentials, and the server wants some',
      'log in again, or choose another --context or --user',
    ],
    [
      'a bad token',
      { token: 'bad' },
      'the server does not accept the credentials of user "u"',
      'log in again, or choose another --context or --user',
    ],
  ])('401 with %s', async (_, user, why, hint) => {
    const server = await serve((_seen, response) =>
      status(response, 401, { reason: 'Unauthorized', message: 'Unauthorized' }),
    )
    const err = await failure(await connectTo(server, { user }), pods)
    expect(err).toMatchObject({
      message: `cannot list pods in namespace "demo": ${why} (${server.url})`,
      hint,
      exit: 8,
      code: 'Unauthorized',
    })
  })

  test('401 with a certificate that has expired says so', async () => {
    const { cert, key } = await clientPair('old', Date.now() - HOUR)
    const user = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) }
    const server = await serve((_seen, response) => status(response, 401, {}))
    const err = await failure(await connectTo(server, { user }), pods)
    expect(err.hint).toMatch(/^its client certificate expired on \d{4}-/)
  })
})

describe('what is no answer of an API', () => {
  const html =
    (code: number, text = '<html>Log in</html>'): Handler =>
    (_, response) =>
      void response.writeHead(code, { 'content-type': 'text/html; charset=utf-8' }).end(text)
  const plain =
    (code: number, text: string): Handler =>
    (_, response) =>
      void response.writeHead(code, { 'content-type': 'text/plain' }).end(text)
  const FOREIGN = 'is this address a Kubernetes API, or is a proxy or a login page in between?'

  test.each([
    ['a login page', html(200), 'it answered with text/html instead of JSON', 1, FOREIGN],
    ['a page of a proxy', html(502), 'it answered HTTP 502 Bad Gateway with text/html', 1, FOREIGN],
    [
      'a refusal of a proxy',
      html(403),
      'it answered HTTP 403 Forbidden with text/html',
      8,
      FOREIGN,
    ],
    [
      'a plain text',
      plain(500, 'etcd is down\nmore'),
      'it answered HTTP 500 Internal Server Error with text/plain: etcd is down',
      1,
      FOREIGN,
    ],
    [
      'an unknown path',
      plain(404, '404 page not found\n'),
      'the server knows no virtualmachineinstances of kubevirt.io/v1',
      9,
      'is KubeVirt installed on this cluster?',
    ],
    [
      'a redirect',
      ((_, response) =>
        void response.writeHead(302, { location: 'https://sso/' }).end()) as Handler,
      'it redirects to https://sso/ (HTTP 302)',
      1,
      FOREIGN,
    ],
    [
      'http to a TLS port',
      plain(400, 'Client sent an HTTP request to an HTTPS server.\n'),
      'it speaks TLS, and the address says http',
      1,
      'the "server" of the kubeconfig must begin with https://',
    ],
    [
      'JSON that ends early',
      ((_, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"a":')) as Handler,
      'its JSON answer ends or breaks after 5 characters',
      1,
      FOREIGN,
    ],
  ])('%s', async (_, handler, why, exit, hint) => {
    const server = await serve(handler)
    const err = await failure(await connectTo(server), vmi)
    expect(err.message).toBe(
      `cannot get virtualmachineinstances "vm-9" in namespace "demo": ${why} (${server.url})`,
    )
    expect(err).toMatchObject({ exit, hint })
  })

  test('an answer that is cut off within its length', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"a":')
      setTimeout(() => response.socket!.destroy(), 20)
    })
    const err = await failure(await connectTo(server), { ...vmi, method: 'POST' })
    expect(err).toMatchObject({
      code: 'ECONNRESET',
      message: expect.stringContaining(`${server.url} broke off before its answer was complete`),
    })
  })
})

describe('what gets no answer', () => {
  test('nobody listens', async () => {
    const server = await serve(() => ({}))
    const cluster = await connectTo(server)
    await server.close()
    expect(await failure(cluster, pods)).toMatchObject({
      message: `cannot list pods in namespace "demo": ${server.url} refuses connections`,
      code: 'ECONNREFUSED',
      exit: 1,
    })
  })

  test('a name that does not exist', async () => {
    const server = await serve(() => ({}))
    const cluster = await connectTo({ ...server, url: 'https://nowhere.invalid:6443' })
    expect((await failure(cluster, pods)).message).toBe(
      'cannot list pods in namespace "demo": the name in https://nowhere.invalid:6443 cannot be resolved',
    )
  })

  test.each([
    [
      'an authority that the kubeconfig does not name',
      async () => ({
        options: {},
        ca: (
          await createAuthority('other', {
            notBefore: Date.now() - HOUR,
            notAfter: Date.now() + HOUR,
          })
        ).cert,
      }),
      /the certificate of SERVER is from an authority that the kubeconfig doesn't name \(\w+\)/,
    ],
    [
      'a certificate for another name',
      async () => ({ options: { names: ['a.example', '10.0.0.1'] } }),
      /the certificate of SERVER is for other names: DNS:a\.example, IP Address:10\.0\.0\.1/,
    ],
    [
      'an expired certificate',
      async () => ({ options: { notAfter: Date.now() - HOUR } }),
      /the certificate of SERVER has expired/,
    ],
  ])('%s', async (_, setUp, message) => {
    const { options, ca } = (await setUp()) as { options: ServerOptions; ca?: string }
    const server = await serve(() => ({}), options)
    const err = await failure(await connectTo({ ...server, ...(ca && { ca }) }), pods)
    expect(err.message.replace(server.url, 'SERVER')).toMatch(message)
    expect(err.exit).toBe(1)
    expect(err.hint).toBeDefined()
  })

  test('TLS asked of a plain server', async () => {
    const plain = await serve(() => ({}), { plain: true })
    const asTls = plain.url.replace('http:', 'https:')
    expect((await failure(await connectTo({ ...plain, url: asTls }), pods)).message).toContain(
      `${asTls} does not speak TLS`,
    )
  })

  test('a server that wants another client certificate', async () => {
    const server = await serve(() => ({}), { requestClientCertificate: true })
    const { cert, key } = await clientPair('old', Date.now() - HOUR)
    const user = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) }
    const err = await failure(await connectTo(server, { user }), { ...pods, method: 'POST' })
    expect(err.message).toContain(`${server.url} broke off before its answer was complete`)
    expect(err.hint).toMatch(/^its client certificate expired on/)
  })

  test('a server that says with a TLS alert what it wants', () => {
    const target = resolveTarget({
      kubeconfigText: kubeconfig(
        { url: 'https://h:6443', ca: '' },
        { cluster: { 'certificate-authority-data': undefined } },
      ),
      env: {},
    })
    const alert = Object.assign(new Error('alert'), {
      code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    })
    const err = networkError(target, pods, alert, Date.now())
    expect(err.message).toBe(
      'cannot list pods in namespace "demo": https://h:6443 does not accept the client certificate of user "u" (ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED)',
    )
    expect(err.cause).toBe(alert)
  })
})
