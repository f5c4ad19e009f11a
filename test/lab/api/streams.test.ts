import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, connect as tcpConnect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { parse } from 'yaml'
import { connect } from '../../../src/cluster/config.ts'
import { readHandlerMetrics } from '../../../src/cluster/handler-metrics.ts'
import { portForward } from '../../../src/cluster/port-forward.ts'
import { createAuthority } from '../../../src/lab/certificates.ts'
import { serveMetrics } from '../../../src/lab/node/metrics-server.ts'
import { startFakeKubelet } from './fake-kubelet.ts'
import { CORE, pod, startTestApi, type TestApi } from './harness.ts'
import { findKubectl, otherKubectls, useKubectl } from './kubectl.ts'

const merge = { method: 'PATCH', contentType: 'application/merge-patch+json' }

/** A pod that runs on a node whose kubelet answers. */
async function startWithPod(ports: Record<number, number> = {}): Promise<TestApi> {
  const api = await startTestApi()
  const port = await startFakeKubelet(api.server.caCert, ports)
  await api.send('/api/v1/nodes', {
    body: {
      metadata: { name: 'node-1' },
      status: {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      },
    },
  })
  const containers = [{ name: 'compute' }, { name: 'starting' }]
  await api.send(`${CORE}/pods`, {
    body: pod('p', { nodeName: 'node-1', containers }),
  })
  await api.send(`${CORE}/pods/p/status`, {
    ...merge,
    body: { status: { phase: 'Running', podIP: '127.0.0.1' } },
  })
  return api
}

test('logs come from the kubelet, with what was asked of them', async () => {
  const { send } = await startWithPod()
  const log = `${CORE}/pods/p/log?container=compute`
  const answer = await send(`${log}&tailLines=1&pretty=true`)
  expect(answer.text).toBe('second\n')
  expect(answer.headers['content-type']).toBe('text/plain')
  expect((await send(`${log}&sinceSeconds=30`)).text).toBe('second\n')
  expect((await send(`${log}&limitBytes=8`)).text).toBe('first\nse')
  expect((await send(`${log}&timestamps=true&tailLines=1`)).text).toMatch(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z second\n$/,
  )
})

test('logs that are followed end when the container does, or when the bytes asked for are through', async () => {
  const { send } = await startWithPod()
  const log = `${CORE}/pods/p/log?container=compute&follow=true`
  expect((await send(`${log}&limitBytes=15`)).text).toBe('first\nsecond\nla')
  expect((await send(log)).text).toBe('first\nsecond\nlater\n')
})

test.each([
  ['tailLines=-1', 'tailLines: Invalid value: -1: must be greater than or equal to 0'],
  ['limitBytes=0', 'limitBytes: Invalid value: 0: must be greater than 0'],
  ['sinceSeconds=0', 'sinceSeconds: Invalid value: 0: must be greater than 0'],
  [
    'sinceSeconds=5&sinceTime=2026-01-01T00:00:00Z',
    '[]: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
  ],
])('logs by %s are refused', async (query, why) => {
  const { send } = await startWithPod()
  const { status, body } = await send(`${CORE}/pods/p/log?container=compute&${query}`)
  expect(status).toBe(422)
  expect(body.message).toBe(`PodLogOptions "p" is invalid: ${why}`)
})

test('logs that cannot be had are refused in the words of Kubernetes', async () => {
  const { send } = await startWithPod()
  const message = async (path: string) => (await send(path)).body.message
  expect(await message(`${CORE}/pods/p/log`)).toBe(
    'a container name must be specified for pod p, choose one of: [compute starting]',
  )
  expect(await message(`${CORE}/pods/p/log?container=other`)).toBe(
    'container other is not valid for pod p',
  )
  expect(await message(`${CORE}/pods/p/log?container=starting`)).toBe(
    'container "starting" in pod "p" is waiting to start: PodInitializing',
  )
  expect(await message(`${CORE}/pods/p/log?container=compute&previous=true`)).toBe(
    'previous terminated container "compute" in pod "p" not found',
  )
  expect(await message(`${CORE}/pods/p/log?container=compute&tailLines=x`)).toBe(
    'strconv.ParseInt: parsing "x": invalid syntax',
  )
  expect(await message(`${CORE}/pods/q/log`)).toBe('pods "q" not found')
  await send(`${CORE}/pods`, { body: pod('unbound') })
  expect((await send(`${CORE}/pods/unbound/log`)).status).toBe(204)
})

test('a command runs over WebSocket, and its end is told', async () => {
  const { server } = await startWithPod()
  const { token } = parse(server.kubeconfig('admin', { only: true })).users[0].user
  const url = `${server.url.replace('https', 'wss')}${CORE}/pods/p/exec?container=compute&command=echo&command=hi&stdout=true`
  const socket = new WebSocket(url, ['v5.channel.k8s.io'], {
    ca: server.caCert,
    headers: { authorization: `Bearer ${token}` },
  })
  const messages: string[] = []
  socket.on('message', (data: Buffer) => messages.push(`${data[0]} ${data.subarray(1)}`))
  await new Promise<void>((resolve, reject) => {
    socket.once('close', () => resolve())
    socket.once('error', reject)
  })
  expect(socket.protocol).toBe('v5.channel.k8s.io')
  expect(messages).toEqual(['1 hi\n', expect.stringMatching(/^3 .*"status":"Success"/)])
})

test('a port is forwarded over the channels of a WebSocket too, as older clients have it', async () => {
  const target = createServer((socket) => socket.pipe(socket))
  await new Promise<void>((resolve) => void target.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void target.close())
  const { server } = await startWithPod({ 8080: (target.address() as AddressInfo).port })
  const kubeconfigText = server.kubeconfig('admin', { only: true })
  const cluster = await connect({ kubeconfigText, env: {} })
  onTestFinished(() => cluster.close())
  const to = (port: number) =>
    portForward(cluster, { namespace: 'default', pod: 'p', port }, AbortSignal.timeout(5000))
  const echo = await to(8080)
  const sent = 'x'.repeat(300_000)
  echo.write(sent)
  let got = ''
  for await (const chunk of echo) {
    got += chunk
    if (got.length >= sent.length) break
  }
  expect(got).toBe(sent)
  const nobody = await to(22)
  nobody.resume()
  const [err] = await once(nobody, 'error')
  expect(err.message).toBe(
    'error forwarding port 22 to pod sandbox, uid : failed to connect to localhost:22 inside namespace sandbox: dial tcp 127.0.0.1:22: connect: connection refused',
  )
})

test('metrics that the proxy of pods refuses to fetch come by port-forward', async () => {
  const metrics = await serveMetrics({
    address: '127.0.0.1',
    pair: await selfSigned(),
    text: () => 'kubevirt_x 1\n',
  })
  onTestFinished(() => metrics.close())
  const { server, send } = await startWithPod({ 8443: metrics.port })
  await send(`${CORE}/pods/p/status`, { ...merge, body: { status: { podIP: null } } })
  const refused = await send(`${CORE}/pods/https:p:8443/proxy/metrics`)
  expect(refused.body).toMatchObject({ code: 400, message: 'address not allowed' })
  const cluster = await connect({
    kubeconfigText: server.kubeconfig('admin', { only: true }),
    env: {},
  })
  onTestFinished(() => cluster.close())
  const handler = { namespace: 'default', pod: 'p' }
  const { signal } = new AbortController()
  expect(await readHandlerMetrics(cluster, handler, signal)).toBe('kubevirt_x 1\n')
  await metrics.close()
  await expect(readHandlerMetrics(cluster, handler, signal)).rejects.toThrow(
    /^p gives no metrics: error forwarding port 8443 .* connection refused$/,
  )
})

function selfSigned() {
  const validity = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 60_000 }
  return createAuthority('metrics', validity).then((authority) =>
    authority.issue({ commonName: 'metrics', usage: ['server'], ...validity }),
  )
}

test('an upgrade is refused like any request', async () => {
  const { server } = await startWithPod()
  const status = (path: string, headers: Record<string, string> = {}) =>
    new Promise<number | undefined>((resolve) => {
      const socket = new WebSocket(`${server.url.replace('https', 'wss')}${path}`, {
        ca: server.caCert,
        headers,
      })
      socket.once('unexpected-response', (_, response) => {
        resolve(response.statusCode)
        response.resume()
      })
      socket.on('error', () => {})
    })
  expect(await status(`${CORE}/pods/p/exec?command=x`)).toBe(403)
  const { token } = parse(server.kubeconfig('admin', { only: true })).users[0].user
  const headers = { authorization: `Bearer ${token}` }
  expect(await status(`${CORE}/pods/q/exec?command=x`, headers)).toBe(404)
  expect(await status(`${CORE}/pods/p/exec?container=compute`, headers)).toBe(400)
  expect(await status(`${CORE}/pods`, headers)).toBe(400)
})

test('a connection that has left HTTP ends with the server', async () => {
  const { server } = await startWithPod()
  const { token } = parse(server.kubeconfig('admin', { only: true })).users[0].user
  const url = `${server.url.replace('https', 'wss')}${CORE}/pods/p/exec?container=compute&command=cat&stdin=true`
  const socket = new WebSocket(url, ['v5.channel.k8s.io'], {
    ca: server.caCert,
    headers: { authorization: `Bearer ${token}` },
  })
  socket.on('error', () => {})
  await new Promise((resolve) => void socket.once('open', resolve))
  const closed = new Promise((resolve) => void socket.once('close', resolve))
  await server.close()
  await closed
})

const kubectl = findKubectl()
const releases = kubectl
  ? [{ release: 'of the PATH', file: kubectl }, ...otherKubectls(kubectl)]
  : []

describe.each(releases)('kubectl $release', ({ file }) => {
  test('logs, exec with input, output and exit code, port-forward of bytes both ways', async () => {
    const target = createServer((socket) => socket.pipe(socket))
    await new Promise<void>((resolve) => void target.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void target.close())
    const { server } = await startWithPod({ 8080: (target.address() as AddressInfo).port })
    const client = useKubectl(file, { admin: server.kubeconfig('admin', { only: true }) }, 'admin')
    onTestFinished(client.close)

    const logs = await client.run(['logs', 'p', '-c', 'compute', '-f'])
    expect(logs.stdout).toBe('first\nsecond\nlater\n')

    const exec = ['exec', 'p', '-c', 'compute']
    expect(await client.run([...exec, '--', 'echo', 'a', 'b'])).toEqual({
      stdout: 'a b\n',
      stderr: '',
      code: 0,
    })
    const failed = await client.run([...exec, '--', 'fail'])
    expect(failed.code).toBe(3)
    expect(failed.stderr).toContain('it failed\n')
    const fed = await client.run([...exec, '-i', '--', 'cat'], { stdin: 'over and back' })
    expect(fed.stdout).toBe('over and back')

    const forward = spawn(file, ['port-forward', 'pod/p', ':8080'], { env: client.env })
    onTestFinished(() => void forward.kill())
    const line = await new Promise<string>((resolve) =>
      forward.stdout.setEncoding('utf8').once('data', resolve),
    )
    const local = Number(/127\.0\.0\.1:(\d+)/.exec(line)![1])
    const sent = 'x'.repeat(300_000)
    const socket = tcpConnect({ host: '127.0.0.1', port: local })
    socket.end(sent)
    expect(await text(socket)).toBe(sent)
  })
})
