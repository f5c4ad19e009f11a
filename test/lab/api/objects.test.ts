import { expect, test } from 'vitest'
import {
  CONTROLLER,
  CORE,
  configMap,
  HANDLER,
  KUBEVIRT,
  pod,
  startTestApi,
  vmi,
  vmim,
} from './harness.ts'

test('a created object has uid, revision and time, and is found under its name', async () => {
  const { send } = await startTestApi()
  const created = await send(`${CORE}/configmaps`, { body: configMap('a', { data: { x: '1' } }) })
  expect(created.status).toBe(201)
  expect(created.body.metadata).toMatchObject({
    name: 'a',
    namespace: 'default',
    uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    resourceVersion: expect.stringMatching(/^\d+$/),
    creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  })
  const got = await send(`${CORE}/configmaps/a`)
  expect(got.body).toEqual(created.body)
})

test('generateName gives five more letters', async () => {
  const { send } = await startTestApi()
  const body = { metadata: { generateName: 'x-' } }
  const { body: created } = await send(`${CORE}/configmaps`, { body })
  expect(created.metadata.name).toMatch(/^x-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
})

test('a second object of the same name is refused, and one in no namespace', async () => {
  const { send } = await startTestApi()
  await send(`${CORE}/configmaps`, { body: configMap('a') })
  const again = await send(`${CORE}/configmaps`, { body: configMap('a') })
  expect(again.status).toBe(409)
  expect(again.body).toMatchObject({
    reason: 'AlreadyExists',
    message: 'configmaps "a" already exists',
    details: { name: 'a', kind: 'configmaps' },
  })
  const nowhere = await send('/api/v1/namespaces/nowhere/configmaps', { body: configMap('a') })
  expect(nowhere.status).toBe(404)
  expect(nowhere.body.message).toBe('namespaces "nowhere" not found')
})

test('an update with an old resourceVersion is a conflict, in the words of Kubernetes', async () => {
  const { send } = await startTestApi()
  const { body: first } = await send(`${KUBEVIRT}/virtualmachineinstances`, { body: vmi('vm-1') })
  const changed = { ...first, metadata: { ...first.metadata, labels: { a: 'b' } } }
  const path = `${KUBEVIRT}/virtualmachineinstances/vm-1`
  expect((await send(path, { method: 'PUT', body: changed })).status).toBe(200)
  const late = await send(path, { method: 'PUT', body: changed })
  expect(late.status).toBe(409)
  expect(late.body).toMatchObject({
    reason: 'Conflict',
    message:
      'Operation cannot be fulfilled on virtualmachineinstances.kubevirt.io "vm-1": the object has been modified; please apply your changes to the latest version and try again',
  })
})

test('a custom resource can only be updated with a resourceVersion, a pod without', async () => {
  const { send } = await startTestApi()
  await send(`${KUBEVIRT}/virtualmachineinstances`, { body: vmi('vm-1') })
  const path = `${KUBEVIRT}/virtualmachineinstances/vm-1`
  const refused = await send(path, { method: 'PUT', body: vmi('vm-1') })
  expect(refused.status).toBe(422)
  expect(refused.body.message).toBe(
    'virtualmachineinstances.kubevirt.io "vm-1" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
  )
  await send(`${CORE}/pods`, { body: pod('p') })
  const labelled = pod('p', {}, { labels: { a: 'b' } })
  expect((await send(`${CORE}/pods/p`, { method: 'PUT', body: labelled })).status).toBe(200)
})

test('an update that changes nothing writes nothing', async () => {
  const { send, server } = await startTestApi()
  const { body } = await send(`${CORE}/configmaps`, { body: configMap('a') })
  const before = server.store.revision
  const same = await send(`${CORE}/configmaps/a`, { method: 'PUT', body })
  expect(same.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion)
  expect(server.store.revision).toBe(before)
})

test('finalizers hold a deleted object until the last one is taken off', async () => {
  const { send } = await startTestApi()
  const held = { ...configMap('a'), metadata: { name: 'a', finalizers: ['x/1', 'x/2'] } }
  await send(`${CORE}/configmaps`, { body: held })
  const deleted = await send(`${CORE}/configmaps/a`, { method: 'DELETE' })
  expect(deleted.body.metadata.deletionTimestamp).toBeTruthy()

  const patch = (finalizers: string[] | null) =>
    send(`${CORE}/configmaps/a`, {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { metadata: { finalizers } },
    })
  const more = await patch(['x/1', 'x/2', 'x/3'])
  expect(more.status).toBe(422)
  expect(more.body.message).toContain(
    'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x/3"}',
  )
  expect((await patch(['x/2'])).status).toBe(200)
  expect((await send(`${CORE}/configmaps/a`)).status).toBe(200)
  expect((await patch(null)).status).toBe(200)
  expect((await send(`${CORE}/configmaps/a`)).status).toBe(404)
})

test('an unbound pod goes at once, a bound one when its kubelet says so', async () => {
  const { send } = await startTestApi()
  await send(`${CORE}/pods`, { body: pod('free') })
  await send(`${CORE}/pods/free`, { method: 'DELETE' })
  expect((await send(`${CORE}/pods/free`)).status).toBe(404)

  await send(`${CORE}/pods`, { body: pod('bound', { terminationGracePeriodSeconds: 7 }) })
  const bind = { target: { kind: 'Node', name: 'node-1' } }
  expect((await send(`${CORE}/pods/bound/binding`, { body: bind })).status).toBe(201)
  const again = await send(`${CORE}/pods/bound/binding`, { body: bind })
  expect(again.body.message).toBe(
    'Operation cannot be fulfilled on pods/binding "bound": pod bound is already assigned to node "node-1"',
  )
  const deleted = await send(`${CORE}/pods/bound`, { method: 'DELETE' })
  expect(deleted.body.metadata.deletionGracePeriodSeconds).toBe(7)
  expect(deleted.body.spec.nodeName).toBe('node-1')
  const body = { gracePeriodSeconds: 0 }
  await send(`${CORE}/pods/bound`, { method: 'DELETE', body }, 'system:node:node-1')
  expect((await send(`${CORE}/pods/bound`)).status).toBe(404)
})

test('preconditions of a delete must hold', async () => {
  const { send } = await startTestApi()
  const { body } = await send(`${CORE}/configmaps`, { body: configMap('a') })
  const path = `${CORE}/configmaps/a`
  const refused = await send(path, { method: 'DELETE', body: { preconditions: { uid: 'other' } } })
  expect(refused.status).toBe(409)
  expect(refused.body.message).toBe(
    `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (${body.metadata.uid}). The object might have been deleted and then recreated`,
  )
  const { uid } = body.metadata
  const done = await send(path, { method: 'DELETE', body: { preconditions: { uid } } })
  expect(done.body).toMatchObject({ status: 'Success', details: { name: 'a', uid } })
})

test('a dry run answers like the real thing and writes nothing', async () => {
  const { send, server } = await startTestApi()
  const before = server.store.revision
  const created = await send(`${CORE}/configmaps?dryRun=All`, { body: configMap('a') })
  expect(created.status).toBe(201)
  expect(created.body.metadata.uid).toBeTruthy()
  expect(server.store.revision).toBe(before)
})

test('status has a path of its own where the kind has a status subresource', async () => {
  const { send } = await startTestApi()
  await send(`${KUBEVIRT}/virtualmachineinstances`, { body: vmi('vm-1') })
  await send(`${KUBEVIRT}/virtualmachineinstancemigrations`, { body: vmim('m', 'vm-1') })
  const path = `${KUBEVIRT}/virtualmachineinstancemigrations/m`
  const merge = { method: 'PATCH', contentType: 'application/merge-patch+json' }
  const body = { status: { phase: 'Pending' }, metadata: { annotations: { a: 'b' } } }
  const plain = await send(path, { ...merge, body })
  expect(plain.body.status).toBeUndefined()
  expect(plain.body.metadata).toMatchObject({ annotations: { a: 'b' }, generation: 1 })
  const status = await send(`${path}/status`, {
    ...merge,
    body: { status: { phase: 'Pending' }, metadata: { annotations: { a: 'c' } } },
  })
  expect(status.body.status).toEqual({ phase: 'Pending' })
  expect(status.body.metadata.annotations).toEqual({ a: 'b' })
})

test("a VMI's status is KubeVirt's: a user's write to it is undone without a word", async () => {
  const { send } = await startTestApi()
  const path = `${KUBEVIRT}/virtualmachineinstances`
  const { body: created } = await send(path, { body: vmi('vm-1') })
  expect(created.metadata.finalizers).toEqual(['kubevirt.io/foregroundDeleteVirtualMachine'])
  const patch = { method: 'PATCH', contentType: 'application/merge-patch+json' }
  const body = { status: { phase: 'Running', nodeName: 'node-1' } }
  const byUser = await send(`${path}/vm-1`, { ...patch, body })
  expect(byUser.status).toBe(200)
  expect(byUser.body.status).toEqual(created.status)
  const byController = await send(`${path}/vm-1`, { ...patch, body }, CONTROLLER)
  expect(byController.body.status).toMatchObject({ phase: 'Running', nodeName: 'node-1' })
  const foreign = { metadata: { annotations: { a: 'b' } } }
  expect((await send(`${path}/vm-1`, { ...patch, body: foreign }, HANDLER)).status).toBe(200)
})

test('a migration gets its label and finalizer, and a second one for the same VM is refused', async () => {
  const { send } = await startTestApi()
  await send(`${KUBEVIRT}/virtualmachineinstances`, { body: vmi('vm-1') })
  const path = `${KUBEVIRT}/virtualmachineinstancemigrations`
  const first = await send(path, { body: vmim('first', 'vm-1') })
  expect(first.body.metadata).toMatchObject({
    labels: { 'kubevirt.io/vmi-name': 'vm-1' },
    finalizers: ['kubevirt.io/migrationJobFinalize'],
  })
  const second = await send(path, { body: vmim('second', 'vm-1') })
  expect(second.status).toBe(400)
  expect(second.body.reason).toBeUndefined()
  expect(second.body.message).toBe(
    `admission webhook "migration-create-validator.kubevirt.io" denied the request: in-flight migration detected. Active migration job (${first.body.metadata.uid}) is currently already in progress for VMI vm-1.`,
  )
})

test('a quota refuses a pod that is too much, and counts those it lets in', async () => {
  const { send } = await startTestApi()
  const quota = { metadata: { name: 'mem' }, spec: { hard: { 'requests.memory': '100Mi' } } }
  await send(`${CORE}/resourcequotas`, { body: quota })
  const status = { hard: quota.spec.hard, used: { 'requests.memory': '0' } }
  await send(`${CORE}/resourcequotas/mem/status`, {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { status },
  })
  const sized = (name: string) =>
    pod(name, { containers: [{ name: 'c', resources: { requests: { memory: '60Mi' } } }] })
  expect((await send(`${CORE}/pods`, { body: sized('a') })).status).toBe(201)
  const refused = await send(`${CORE}/pods`, { body: sized('b') })
  expect(refused.status).toBe(403)
  expect(refused.body.message).toBe(
    'pods "b" is forbidden: exceeded quota: mem, requested: requests.memory=60Mi, used: requests.memory=60Mi, limited: requests.memory=100Mi',
  )
})

test('a namespace goes with the last object in it, and takes nothing new meanwhile', async () => {
  const { send } = await startTestApi()
  const inside = '/api/v1/namespaces/demo'
  await send('/api/v1/namespaces', { body: { metadata: { name: 'demo' } } })
  await send(`${inside}/configmaps`, { body: configMap('a') })
  const held = { ...configMap('held'), metadata: { name: 'held', finalizers: ['x/y'] } }
  await send(`${inside}/configmaps`, { body: held })
  const deleted = await send(inside, { method: 'DELETE' })
  expect(deleted.body.status).toEqual({ phase: 'Terminating' })
  expect((await send(`${inside}/configmaps/a`)).status).toBe(404)
  const refused = await send(`${inside}/configmaps`, { body: configMap('b') })
  expect(refused.body).toMatchObject({
    code: 403,
    message:
      'configmaps "b" is forbidden: unable to create new content in namespace demo because it is being terminated',
    details: { causes: [{ reason: 'NamespaceTerminating' }] },
  })
  await send(`${inside}/configmaps/held`, {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { metadata: { finalizers: null } },
  })
  expect((await send(inside)).status).toBe(404)
})

test('what an object owns goes after it, before it, or stays, as the deletion says', async () => {
  const { send } = await startTestApi()
  const maps = `${CORE}/configmaps`
  const names = async () =>
    (await send(maps)).body.items.map((item: { metadata: { name: string } }) => item.metadata.name)
  const make = async () => {
    const { body: owner } = await send(maps, { body: configMap('owner') })
    const { name, uid } = owner.metadata
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }]
    const owned = (name: string, finalizers: string[] = []) =>
      send(maps, { body: { metadata: { name, ownerReferences, finalizers } } })
    await owned('a')
    await owned('held', ['x/y'])
  }
  const letGo = () =>
    send(`${maps}/held`, {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { metadata: { finalizers: null } },
    })
  const remove = (propagationPolicy: string) =>
    send(`${maps}/owner`, { method: 'DELETE', body: { propagationPolicy } })

  await make()
  await remove('Background')
  expect(await names()).toEqual(['held'])
  await letGo()
  expect(await names()).toEqual([])

  await make()
  const { body } = await remove('Foreground')
  expect(body.metadata.finalizers).toEqual(['foregroundDeletion'])
  expect(await names()).toEqual(['held', 'owner'])
  await letGo()
  expect(await names()).toEqual([])

  await make()
  await remove('Orphan')
  expect(await names()).toEqual(['a', 'held'])
  expect((await send(`${maps}/a`)).body.metadata.ownerReferences).toBeUndefined()
})
