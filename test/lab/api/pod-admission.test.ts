import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from './harness.ts'

const POD = '/api/v1/namespaces/demo/pods/launcher'
const VMI = '/apis/kubevirt.io/v1/namespaces/demo/virtualmachineinstances/vm-1'
const CONTROLLER = 'system:serviceaccount:kubevirt:kubevirt-controller'

/** A running VM on node-1 with this strategy, and its launcher. */
async function running(api: TestApi, evictionStrategy: string): Promise<void> {
  await api.send('/api/v1/namespaces', { body: { metadata: { name: 'demo' } } })
  const made = await api.send('/apis/kubevirt.io/v1/namespaces/demo/virtualmachineinstances', {
    body: {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name: 'vm-1' },
      spec: { evictionStrategy, domain: { devices: {} } },
    },
  })
  const status = {
    phase: 'Running',
    nodeName: 'node-1',
    conditions: [{ type: 'LiveMigratable', status: 'True' }],
  }
  await api.send(VMI, { method: 'PUT', body: { ...made.body, status } }, CONTROLLER)
  await api.send('/api/v1/namespaces/demo/pods', {
    body: {
      metadata: {
        name: 'launcher',
        labels: { 'kubevirt.io': 'virt-launcher' },
        annotations: { 'kubevirt.io/domain': 'vm-1' },
      },
      spec: { nodeName: 'node-1', containers: [{ name: 'compute', image: 'x' }] },
    },
  })
}

const evict = (api: TestApi, body: object = {}, query = '') =>
  api.send(`${POD}/eviction${query}`, {
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'launcher' }, ...body },
  })

test('an eviction marks a VM that can move, and is refused until it is gone', async () => {
  const api = await startTestApi()
  await running(api, 'LiveMigrate')
  const marked = 'Eviction triggered evacuation of VMI "demo/vm-1"'

  const dry = await evict(api, { deleteOptions: { dryRun: ['All'] } })
  expect(dry.status).toBe(429)
  expect((await api.send(VMI)).body.status.evacuationNodeName).toBeUndefined()

  const requestedBy = { metadata: { annotations: { 'requested-by': 'sigs.k8s.io/descheduler' } } }
  const first = await evict(api, requestedBy)
  expect(first.status).toBe(429)
  expect(first.body.message).toBe(
    `admission webhook "virt-launcher-eviction-interceptor.kubevirt.io" denied the request: ${marked}`,
  )
  const vmi = (await api.send(VMI)).body
  expect(vmi.status.evacuationNodeName).toBe('node-1')
  expect(vmi.metadata.annotations['kubevirt.io/eviction-source']).toBe('descheduler')
  expect((await evict(api)).body.message).toContain(`Evacuation in progress: ${marked}`)
  expect((await api.send(POD)).body.metadata.deletionTimestamp).toBeUndefined()
})

test('the mark of an eviction is taken off by who says which node it is about', async () => {
  const api = await startTestApi()
  await running(api, 'LiveMigrate')
  await api.send('/api/v1/nodes', { body: { metadata: { name: 'node-1' } } })
  const path = `${VMI.replace('kubevirt.io', 'subresources.kubevirt.io')}/evacuate/cancel`
  const cancel = (body: object) => api.send(path, { method: 'PUT', body })
  expect((await cancel({})).status).toBe(200)

  await evict(api)
  const unsaid = await cancel({})
  expect(unsaid.status).toBe(500)
  expect(unsaid.body.message).toBe(
    'Internal error occurred: the server rejected our request due to an error in our request',
  )
  expect((await cancel({ evacuationNodeName: 'node-1', dryRun: ['All'] })).status).toBe(200)
  expect((await api.send(VMI)).body.status.evacuationNodeName).toBe('node-1')
  expect((await cancel({ evacuationNodeName: 'node-1' })).status).toBe(200)
  expect((await api.send(VMI)).body.status.evacuationNodeName).toBeUndefined()

  const taints = [{ key: 'kubevirt.io/drain', effect: 'NoSchedule' }]
  await api.send('/api/v1/nodes/node-1', {
    method: 'PATCH',
    contentType: 'application/merge-patch+json',
    body: { spec: { taints } },
  })
  const drained = await cancel({ evacuationNodeName: 'node-1' })
  expect([drained.status, drained.body.message]).toEqual([
    400,
    'Node "node-1" has NodeDrainTaintKey "kubevirt.io/drain:NoSchedule"',
  ])
})

test('where the VM may be shut down, its pod is deleted', async () => {
  const api = await startTestApi()
  await running(api, 'None')
  const answer = await evict(api)
  expect(answer.status).toBe(201)
  expect(answer.body.status).toBe('Success')
  const { metadata, status } = (await api.send(POD)).body
  expect(metadata.deletionTimestamp).toBeDefined()
  expect(status.conditions).toContainEqual({
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastProbeTime: null,
    lastTransitionTime: expect.any(String),
  })
})

test('a pod that is not as it was known, or is only tried, is told nothing', async () => {
  const api = await startTestApi()
  await running(api, 'None')
  const { resourceVersion } = (await api.send(POD)).body.metadata
  const preconditions = (version: string) => ({
    deleteOptions: { preconditions: { resourceVersion: version } },
  })
  expect((await evict(api, preconditions('1'))).status).toBe(409)
  expect((await evict(api, {}, '?dryRun=All')).status).toBe(201)
  expect((await api.send(POD)).body.metadata.resourceVersion).toBe(resourceVersion)
  expect((await evict(api, preconditions(resourceVersion))).status).toBe(201)
})

test('a pod that is not there can’t be evicted', async () => {
  const api = await startTestApi()
  const answer = await evict(api)
  expect(answer.status).toBe(404)
  expect(answer.body.message).toBe('pods "launcher" not found')
})

test('a restricted namespace lets no launcher in', async () => {
  const api = await startTestApi()
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  await api.send('/api/v1/namespaces', { body: { metadata: { name: 'demo', labels } } })
  const answer = await api.send('/api/v1/namespaces/demo/pods', {
    body: { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'x' }] } },
  })
  expect(answer.status).toBe(403)
  expect(answer.body.message).toMatch(
    /^pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation/,
  )
})

test('a limit range fills in what a pod does not say, and refuses what is too much', async () => {
  const api = await startTestApi()
  await api.send('/api/v1/namespaces', { body: { metadata: { name: 'demo' } } })
  const limits = [{ type: 'Container', max: { memory: '1Gi' } }]
  const range = { metadata: { name: 'range' }, spec: { limits } }
  await api.send('/api/v1/namespaces/demo/limitranges', { body: range })
  const pod = (name: string, resources: object) =>
    api.send('/api/v1/namespaces/demo/pods', {
      body: { metadata: { name }, spec: { containers: [{ name: 'c', image: 'x', resources }] } },
    })
  const made = await pod('small', {})
  expect(made.body.spec.containers[0].resources.limits).toEqual({ memory: '1Gi' })
  const refused = await pod('large', { limits: { memory: '2Gi' } })
  expect(refused.status).toBe(403)
  expect(refused.body.message).toBe(
    'pods "large" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi',
  )
})
