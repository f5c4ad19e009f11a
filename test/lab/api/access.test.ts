import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { CONTROLLER, CORE, KUBEVIRT, pod, startTestApi, vmi } from './harness.ts'

test('without a token one is anonymous, with a wrong one nobody', async () => {
  const { send } = await startTestApi()
  const anonymous = await send(`${CORE}/pods`, {}, 'nobody')
  expect(anonymous.status).toBe(403)
  expect(anonymous.body.message).toBe(
    'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "default"',
  )
  const wrong = await send(`${CORE}/pods`, { headers: { authorization: 'Bearer wrong' } }, 'nobody')
  expect(wrong.body).toMatchObject({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' })
})

test('the viewer reads in its namespace and nowhere else', async () => {
  const { send } = await startTestApi()
  expect((await send(`${CORE}/pods`, {}, 'viewer')).status).toBe(200)
  expect((await send(`${KUBEVIRT}/virtualmachineinstancemigrations`, {}, 'viewer')).status).toBe(
    200,
  )
  const nodes = await send('/api/v1/nodes', {}, 'viewer')
  expect(nodes.body).toMatchObject({
    reason: 'Forbidden',
    message:
      'nodes is forbidden: User "viewer" cannot list resource "nodes" in API group "" at the cluster scope',
  })
  const created = await send(`${CORE}/pods`, { body: pod('p') }, 'viewer')
  expect(created.status).toBe(403)
})

test('an admin may act as someone else, the viewer may not', async () => {
  const { send } = await startTestApi()
  const headers = { 'impersonate-user': 'jane', 'impersonate-group': 'team' }
  const as = await send('/api/v1/nodes', { headers })
  expect(as.body.message).toContain('User "jane" cannot list resource "nodes"')
  const refused = await send(`${CORE}/pods`, { headers }, 'viewer')
  expect(refused.body.message).toBe(
    'pods is forbidden: User "viewer" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "default"',
  )
})

test('an access review in JSON and in protobuf gives the same answer', async () => {
  const { send } = await startTestApi()
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
  const body = {
    kind: 'SelfSubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    spec: { resourceAttributes: { namespace: 'default', verb: 'list', resource: 'pods' } },
  }
  expect((await send(path, { body }, 'viewer')).body.status).toEqual({
    allowed: true,
    reason:
      'RBAC: allowed by RoleBinding "viewer-view/default" of ClusterRole "view" to User "viewer"',
  })

  const field = (number: number, value: Buffer | string) => {
    const bytes = Buffer.from(value)
    return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
  }
  const attributes = Buffer.concat([field(1, 'default'), field(2, 'delete'), field(5, 'pods')])
  const type = Buffer.concat([field(1, body.apiVersion), field(2, body.kind)])
  const raw = field(2, field(1, attributes))
  const message = Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, raw)])
  const answer = await send(
    path,
    { body: message.toString('latin1'), contentType: 'application/vnd.kubernetes.protobuf' },
    'viewer',
  )
  expect(answer.body.spec.resourceAttributes).toEqual({
    namespace: 'default',
    verb: 'delete',
    resource: 'pods',
  })
  expect(answer.body.status).toEqual({ allowed: false })
})

test("a pod's port is reached through the API, under the port it really has", async () => {
  const { send } = await startTestApi()
  const target = createServer((request, response) => {
    response.end(`${request.method} ${request.url} ${request.headers.authorization ?? 'no token'}`)
  })
  await new Promise<void>((resolve) => void target.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void target.close())
  const { port } = target.address() as AddressInfo
  const annotations = { 'lab.kubectl-mig.io/ports': JSON.stringify({ 8443: port }) }
  await send(`${CORE}/pods`, { body: pod('p', {}, { annotations }) })
  const noAddress = await send(`${CORE}/pods/p:8443/proxy/metrics`)
  expect(noAddress.status).toBe(400)
  await send(`${CORE}/pods/p/status`, {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { status: { podIP: '127.0.0.1' } },
  })
  const answer = await send(`${CORE}/pods/p:8443/proxy/metrics?a=b`)
  expect(answer.text).toBe('GET /metrics?a=b no token')
  const closed = await send(`${CORE}/pods/p:1/proxy/`)
  expect(closed.status).toBe(503)
  expect(closed.body.message).toMatch(/^error trying to reach service: connect ECONNREFUSED/)
})

test("KubeVirt's migrate subresource creates a migration and does not say which", async () => {
  const { send } = await startTestApi()
  const root = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines'
  const migrate = (name: string) => send(`${root}/${name}/migrate`, { method: 'PUT' })
  const missing = await migrate('nobody')
  expect(missing.status).toBe(404)
  expect(missing.body.message).toBe('virtualmachine.kubevirt.io "nobody" not found')

  const vm = {
    metadata: { name: 'vm-1' },
    spec: { runStrategy: 'Always', template: { spec: { domain: { devices: {} } } } },
  }
  await send(`${KUBEVIRT}/virtualmachines`, { body: vm })
  await send(`${KUBEVIRT}/virtualmachineinstances`, { body: vmi('vm-1') })
  expect((await migrate('vm-1')).body).toMatchObject({
    code: 409,
    message:
      'Operation cannot be fulfilled on virtualmachine.kubevirt.io "vm-1": VM is not running',
  })
  await send(
    `${KUBEVIRT}/virtualmachineinstances/vm-1`,
    {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { status: { phase: 'Running' } },
    },
    CONTROLLER,
  )
  const done = await migrate('vm-1')
  expect([done.status, done.text]).toEqual([202, ''])
  const { body } = await send(`${KUBEVIRT}/virtualmachineinstancemigrations`)
  expect(body.items[0].metadata.name).toMatch(/^kubevirt-migrate-vm-.{5}$/)
  const again = await migrate('vm-1')
  expect(again.status).toBe(500)
  expect(again.body.message).toBe(
    `Internal error occurred: admission webhook "migration-create-validator.kubevirt.io" denied the request: in-flight migration detected. Active migration job (${body.items[0].metadata.uid}) is currently already in progress for VMI vm-1.`,
  )
  const strict = { method: 'PUT', headers: { accept: 'application/json' } }
  expect((await send(`${root}/vm-1/migrate`, strict)).status).toBe(406)
})
