import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import type { Cluster } from '../../../src/cluster/cluster.ts'
import { connect } from '../../../src/cluster/config.ts'
import { create, get, list, patch } from '../../../src/cluster/objects.ts'
import { conditionOf } from '../../../src/kubevirt/migration.ts'
import { EVENTS, NODES, PODS, PVCS, STORAGE_CLASSES } from '../../../src/kubevirt/resources.ts'
import type { Event, Pod } from '../../../src/kubevirt/types.ts'
import { type ApiServer, startApiServer } from '../../../src/lab/api/server.ts'
import { type Scheduler, startScheduler } from '../../../src/lab/scheduler/scheduler.ts'

let close: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const one of close.reverse()) await one()
  close = []
})

async function cluster(): Promise<{ admin: Cluster; scheduler: Scheduler; api: ApiServer }> {
  const api = await startApiServer({ clock: systemClock })
  const as = (context: string) =>
    connect({ kubeconfigText: api.kubeconfig('admin'), context, clock: systemClock })
  const [admin, account] = await Promise.all([as('admin'), as('system:kube-scheduler')])
  const scheduler = await startScheduler({ cluster: account, clock: systemClock })
  close.push(api.close, admin.close, account.close, () => scheduler.close())
  return { admin, scheduler, api }
}

function node(name: string, memory = '1Gi') {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    status: { allocatable: { cpu: '4', memory, pods: '10' } },
  }
}

function pod(name: string, memory: string, spec = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'x', resources: { requests: { memory } } }], ...spec },
  }
}

const nodeOf = async (admin: Cluster, name: string) =>
  (await get<Pod>(admin, PODS, { namespace: 'default', name })).spec.nodeName

async function eventsOf(admin: Cluster, name: string) {
  const { items } = await list<Event>(admin, EVENTS, {
    namespace: 'default',
    fieldSelector: `involvedObject.name=${name}`,
  })
  return items.map(({ type, reason, message, reportingComponent }) => ({
    type,
    reason,
    message,
    reportingComponent,
  }))
}

test('pods are spread over the nodes, each is told where it went, and none is given more than there is', async () => {
  const { admin } = await cluster()
  for (const name of ['a', 'b']) await create(admin, NODES, node(name))
  for (const name of ['p1', 'p2', 'p3'])
    await create(admin, PODS, pod(name, '600Mi'), { namespace: 'default' })
  await expect.poll(() => nodeOf(admin, 'p1')).toBeTruthy()
  await expect.poll(() => nodeOf(admin, 'p2')).toBeTruthy()
  const placed = await Promise.all([nodeOf(admin, 'p1'), nodeOf(admin, 'p2')])
  expect(placed.toSorted()).toEqual(['a', 'b'])
  await expect
    .poll(() => eventsOf(admin, 'p1'))
    .toEqual([
      {
        type: 'Normal',
        reason: 'Scheduled',
        message: `Successfully assigned default/p1 to ${placed[0]}`,
        reportingComponent: 'default-scheduler',
      },
    ])
  await expect
    .poll(async () =>
      conditionOf(
        await get<Pod>(admin, PODS, { namespace: 'default', name: 'p3' }),
        'PodScheduled',
      ),
    )
    .toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message:
        '0/2 nodes are available: 2 Insufficient memory. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
    })
})

test('a pod that fits nowhere is placed as soon as a node changes, and the reason is told once', async () => {
  const { admin, scheduler } = await cluster()
  await create(admin, NODES, { ...node('a'), spec: { unschedulable: true } })
  await create(admin, PODS, pod('p', '1Mi'), { namespace: 'default' })
  const message =
    '0/1 nodes are available: 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.'
  const refused = {
    type: 'Warning',
    reason: 'FailedScheduling',
    message,
    reportingComponent: 'default-scheduler',
  }
  await expect.poll(() => eventsOf(admin, 'p')).toEqual([refused])
  await patch(admin, NODES, { name: 'a' }, { metadata: { labels: { x: 'y' } } }, 'merge')
  await expect.poll(() => scheduler.idle()).toBe(true)
  expect(await eventsOf(admin, 'p')).toEqual([refused])
  await patch(admin, NODES, { name: 'a' }, { spec: { unschedulable: null } }, 'merge')
  await expect.poll(() => nodeOf(admin, 'p')).toBe('a')
})

test("a preference decides among nodes that fit; another scheduler's pods are left alone", async () => {
  const { admin, scheduler } = await cluster()
  for (const name of ['a', 'b']) await create(admin, NODES, node(name))
  const preferred = {
    weight: 100,
    preference: {
      matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['b'] }],
    },
  }
  const affinity = {
    nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred] },
  }
  await create(admin, PODS, pod('other', '1Mi', { schedulerName: 'mine' }), {
    namespace: 'default',
  })
  await create(admin, PODS, pod('p', '1Mi', { affinity }), { namespace: 'default' })
  await expect.poll(() => nodeOf(admin, 'p')).toBe('b')
  await expect.poll(() => scheduler.idle()).toBe(true)
  expect(await nodeOf(admin, 'other')).toBeUndefined()
})

test('a pod is held as long as a claim of its is not bound, unless that waits for the pod’s node', async () => {
  const { admin } = await cluster()
  for (const name of ['a', 'b', 'c']) await create(admin, NODES, node(name))
  for (const volumeBindingMode of ['Immediate', 'WaitForFirstConsumer'])
    await create(admin, STORAGE_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: volumeBindingMode.toLowerCase() },
      provisioner: 'example.com/disks',
      volumeBindingMode,
    })
  const claim = (name: string, storageClassName: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName,
    },
  })
  const mounting = (claimName: string) =>
    pod(claimName, '1Mi', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] })
  const namespace = 'default'
  for (const name of ['now', 'later']) await create(admin, PODS, mounting(name), { namespace })
  const said = async (name: string) => (await eventsOf(admin, name)).map(({ message }) => message)
  await expect
    .poll(() => said('now'))
    .toEqual(['0/3 nodes are available: persistentvolumeclaim "now" not found. not found'])

  await create(admin, PVCS, claim('later', 'waitforfirstconsumer'), { namespace })
  await expect.poll(() => nodeOf(admin, 'later')).toBeTruthy()
  await create(admin, PVCS, claim('now', 'immediate'), { namespace })
  const message =
    '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found'
  await expect.poll(() => said('now')).toContain(message)
  expect(
    conditionOf(await get<Pod>(admin, PODS, { namespace, name: 'now' }), 'PodScheduled'),
  ).toMatchObject({ status: 'False', reason: 'Unschedulable', message })

  const status = { phase: 'Bound' }
  await patch(admin, PVCS, { namespace, name: 'now', subresource: 'status' }, { status }, 'merge')
  await expect.poll(() => nodeOf(admin, 'now')).toBeTruthy()
})
