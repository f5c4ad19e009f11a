import { expect, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { CORE, configMap, KUBEVIRT, startTestApi, type TestApi, vmi, vmim } from './harness.ts'

function applier({ send }: TestApi) {
  return (path: string, manager: string, body: object, more = '') =>
    send(`${path}?fieldManager=${manager}${more}`, {
      method: 'PATCH',
      contentType: 'application/apply-patch+yaml',
      body,
    })
}

const map = (data: object) => ({ apiVersion: 'v1', ...configMap('a', { data }) })

test('apply creates, notes who owns what, and does nothing the second time', async () => {
  let now = Date.now()
  const api = await startTestApi({ clock: { ...systemClock, now: () => now } })
  const apply = applier(api)
  const first = await apply(`${CORE}/configmaps/a`, 'me', map({ x: '1' }))
  expect(first.status).toBe(201)
  expect(first.body.metadata.managedFields).toEqual([
    {
      manager: 'me',
      operation: 'Apply',
      apiVersion: 'v1',
      time: expect.any(String),
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { 'f:x': {} } },
    },
  ])
  now += 60_000
  const second = await apply(`${CORE}/configmaps/a`, 'me', map({ x: '1' }))
  expect([second.status, second.body]).toEqual([200, first.body])
})

test('what a manager stops applying goes, unless somebody else owns it too', async () => {
  const api = await startTestApi()
  const apply = applier(api)
  await apply(`${CORE}/configmaps/a`, 'me', map({ x: '1', y: '2', z: '3' }))
  await apply(`${CORE}/configmaps/a`, 'you', map({ y: '2' }))
  const { body } = await apply(`${CORE}/configmaps/a`, 'me', map({ z: '3' }))
  expect(body.data).toEqual({ y: '2', z: '3' })
})

test("changing another's field is a conflict that names it, and force takes the field", async () => {
  const api = await startTestApi()
  const apply = applier(api)
  await apply(`${CORE}/configmaps/a`, 'me', map({ x: '1', y: '1' }))
  await api.send(`${CORE}/configmaps/a?fieldManager=kubectl-patch`, {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { data: { y: '2' } },
  })
  const one = await apply(`${CORE}/configmaps/a`, 'you', map({ x: '9' }))
  expect(one.body).toMatchObject({
    code: 409,
    reason: 'Conflict',
    message: 'Apply failed with 1 conflict: conflict with "me": .data.x',
    details: {
      causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "me"', field: '.data.x' }],
    },
  })
  const two = await apply(`${CORE}/configmaps/a`, 'you', map({ x: '9', y: '9' }))
  expect(two.body.message).toBe(
    'Apply failed with 2 conflicts: conflicts with "kubectl-patch" using v1:\n- .data.y\nconflicts with "me":\n- .data.x',
  )
  const forced = await apply(`${CORE}/configmaps/a`, 'you', map({ x: '9' }), '&force=true')
  expect(forced.body.data).toEqual({ x: '9', y: '2' })
  const mine = await apply(`${CORE}/configmaps/a`, 'me', map({ x: '1' }))
  expect(mine.body.message).toBe('Apply failed with 1 conflict: conflict with "you": .data.x')
})

test('items of a list with a key are owned one by one', async () => {
  const api = await startTestApi()
  const apply = applier(api)
  const withPorts = (...ports: object[]) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { ports },
  })
  const path = `${CORE}/services/s`
  await apply(path, 'me', withPorts({ port: 80, name: 'a' }))
  const { body } = await apply(path, 'you', withPorts({ port: 81, name: 'b' }))
  expect(body.spec.ports.map((p: { port: number }) => p.port).sort()).toEqual([80, 81])
  const entry = body.metadata.managedFields.find(
    ({ manager }: { manager: string }) => manager === 'you',
  )
  expect(entry.fieldsV1).toEqual({
    'f:spec': {
      'f:ports': { 'k:{"port":81,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:name': {} } },
    },
  })
  const conflict = await apply(path, 'you', withPorts({ port: 80, name: 'c' }))
  expect(conflict.body.message).toBe(
    'Apply failed with 1 conflict: conflict with "me": .spec.ports[port=80,protocol="TCP"].name',
  )
  const less = await apply(path, 'you', withPorts())
  expect(less.body.spec.ports).toMatchObject([{ port: 80, name: 'a' }])
})

test('what a webhook adds belongs to nobody: applying again leaves it', async () => {
  const api = await startTestApi()
  const apply = applier(api)
  await api.send(`${KUBEVIRT}/virtualmachineinstances`, { body: vmi('vm-1') })
  const path = `${KUBEVIRT}/virtualmachineinstancemigrations/m`
  await apply(path, 'me', vmim('m', 'vm-1'))
  const { status, body } = await apply(path, 'me', vmim('m', 'vm-1'))
  expect(status).toBe(200)
  expect(body.metadata.labels).toEqual({ 'kubevirt.io/vmi-name': 'vm-1' })
})

test('an apply without a manager, or with managed fields of its own, is refused', async () => {
  const api = await startTestApi()
  const apply = applier(api)
  const nobody = await apply(`${CORE}/configmaps/a`, '', map({ x: '1' }))
  expect(nobody.body).toMatchObject({
    code: 422,
    message:
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  })
  const owned = { ...map({}), metadata: { name: 'a', managedFields: [] } }
  const answer = await apply(`${CORE}/configmaps/a`, 'me', owned)
  expect(answer.body).toMatchObject({ code: 400, message: 'metadata.managedFields must be nil' })
})

test('whoever may patch and not create cannot create by applying', async () => {
  const api = await startTestApi()
  const rbac = '/apis/rbac.authorization.k8s.io/v1'
  await api.send(`${rbac}/clusterroles`, {
    body: {
      metadata: { name: 'patcher' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }],
    },
  })
  await api.send(`${rbac}/namespaces/default/rolebindings`, {
    body: {
      metadata: { name: 'patcher' },
      subjects: [{ kind: 'User', name: 'viewer' }],
      roleRef: { kind: 'ClusterRole', name: 'patcher' },
    },
  })
  const answer = await api.send(
    `${CORE}/configmaps/a?fieldManager=me`,
    { method: 'PATCH', contentType: 'application/apply-patch+yaml', body: map({ x: '1' }) },
    'viewer',
  )
  expect(answer.body.message).toContain('User "viewer" cannot create resource "configmaps"')
})
