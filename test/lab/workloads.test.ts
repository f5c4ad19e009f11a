import { expect, onTestFinished, test, vi } from 'vitest'
import { create, get, getIfExists, list, patch, remove } from '../../src/cluster/objects.ts'
import { phaseOf } from '../../src/kubevirt/migration.ts'
import { isPodReady } from '../../src/kubevirt/pods.ts'
import {
  CONTROLLER_REVISIONS,
  DAEMON_SETS,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  ENDPOINTS,
  EVENTS,
  MIGRATIONS,
  NODES,
  PODS,
  pathOf,
  REPLICA_SETS,
  SERVICES,
} from '../../src/kubevirt/resources.ts'
import type { Event, Migration, Pod } from '../../src/kubevirt/types.ts'
import { FAULTS } from '../../src/lab/faults.ts'
import type { EndpointSlice } from '../../src/lab/workloads/endpoints.ts'
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
} from '../../src/lab/workloads/types.ts'
import { runningLab } from './running.ts'

const patience = { timeout: 20_000, interval: 50 }
const namespace = 'kubevirt'

const { admin } = await runningLab({
  name: 'workloads',
  vms: 1,
  guest: 'synthetic',
  memory: '4Mi',
})

async function podsOf(app: string, where = namespace): Promise<Pod[]> {
  const labelSelector = where === namespace ? `kubevirt.io=${app}` : `app=${app}`
  const { items } = await list<Pod>(admin, PODS, { namespace: where, labelSelector })
  return items
}

async function handlerOn(node: string): Promise<Pod> {
  const found = (await podsOf('virt-handler')).find(({ spec }) => spec.nodeName === node)
  expect(found).toBeDefined()
  return found as Pod
}

const endPod = ({ metadata }: Pod) => remove(admin, PODS, { namespace, name: metadata.name })

function allReady(app: string, count: number, where = namespace): Promise<Pod[]> {
  return vi.waitFor(async () => {
    const pods = await podsOf(app, where)
    expect(pods.filter(isPodReady)).toHaveLength(count)
    expect(pods).toHaveLength(count)
    return pods
  }, patience)
}

test('KubeVirt is installed as on a cluster: a DaemonSet and two Deployments own its pods', async () => {
  const owners = async (app: string) =>
    (await podsOf(app)).map(({ metadata }) => metadata.ownerReferences?.[0])
  const handlers = await get<DaemonSet>(admin, DAEMON_SETS, { namespace, name: 'virt-handler' })
  expect(await owners('virt-handler')).toEqual([
    expect.objectContaining({ kind: 'DaemonSet', uid: handlers.metadata.uid, controller: true }),
    expect.objectContaining({ kind: 'DaemonSet', uid: handlers.metadata.uid, controller: true }),
  ])
  await vi.waitFor(async () => {
    const { status } = await get<DaemonSet>(admin, DAEMON_SETS, { namespace, name: 'virt-handler' })
    expect(status).toMatchObject({ desiredNumberScheduled: 2, numberAvailable: 2 })
  }, patience)
  for (const name of ['virt-controller', 'virt-api']) {
    const pods = await podsOf(name)
    const [set] = pods[0]?.metadata.ownerReferences ?? []
    expect(set).toMatchObject({ kind: 'ReplicaSet', controller: true })
    expect(set?.name).toMatch(new RegExp(`^${name}-[bcdfghjklmnpqrstvwxz2456789]{10}$`))
    for (const { metadata } of pods)
      expect(metadata.name).toMatch(new RegExp(`^${set?.name}-[bcdfghjklmnpqrstvwxz2456789]{5}$`))
    const { metadata } = await get<ReplicaSet>(admin, REPLICA_SETS, { namespace, name: set!.name })
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', name }])
  }
})

test('a virt-handler that is deleted is made again on its node, and VMs move there as before', async () => {
  const before = await handlerOn('node-2')
  await endPod(before)
  const pods = await allReady('virt-handler', 2)
  expect(pods.map(({ spec }) => spec.nodeName).sort()).toEqual(['node-1', 'node-2'])
  const after = await handlerOn('node-2')
  expect(after.metadata.name).not.toBe(before.metadata.name)
  const at = { namespace, name: after.metadata.name, subresource: 'log' }
  const log = await admin.text({ path: pathOf(PODS, at) })
  expect(log.split('\n')[0]).toContain('retrieved.')

  const metadata = { name: 'after', namespace: 'default' }
  const migration = { apiVersion: 'kubevirt.io/v1', kind: MIGRATIONS.kind, metadata }
  const body = { ...migration, spec: { vmiName: 'vm-1' } }
  await create(admin, MIGRATIONS, body, { namespace: 'default' })
  await vi.waitFor(async () => {
    expect(phaseOf(await get<Migration>(admin, MIGRATIONS, metadata))).toBe('Succeeded')
  }, patience)
})

test('where virt-handler crashes, the one that takes its place does so too', async () => {
  const { group, version, kind } = FAULTS
  const metadata = { name: 'crash' }
  const fault = { apiVersion: `${group}/${version}`, kind, metadata }
  await create(admin, FAULTS, { ...fault, spec: { type: 'HandlerCrashes', node: 'node-1' } })
  onTestFinished(async () => {
    await getIfExists(admin, FAULTS, metadata).then((one) => one && remove(admin, FAULTS, metadata))
    await allReady('virt-handler', 2)
  })
  const crashed = (name: string) =>
    vi.waitFor(async () => {
      const pod = await handlerOn('node-1')
      expect(pod.metadata.name).not.toBe(name)
      expect(pod.status?.containerStatuses).toMatchObject([
        { restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } },
      ])
      return pod
    }, patience)
  const first = await crashed('')
  await endPod(first)
  await crashed(first.metadata.name)
  await vi.waitFor(async () => {
    const { status } = await get<DaemonSet>(admin, DAEMON_SETS, { namespace, name: 'virt-handler' })
    expect(status).toMatchObject({ numberReady: 1, numberUnavailable: 1 })
  }, patience)
})

test('a virt-controller that is deleted comes under another name', async () => {
  const [before] = await podsOf('virt-controller')
  await endPod(before!)
  const after = await allReady('virt-controller', 2)
  expect(after.map(({ metadata }) => metadata.name)).not.toContain(before?.metadata.name)
})

test('another template replaces the pods of a DaemonSet one after the other', async () => {
  const before = (await podsOf('virt-handler')).map(({ metadata }) => metadata.uid)
  let most = 0
  const template = { metadata: { annotations: { restartedAt: 'now' } } }
  const at = { namespace, name: 'virt-handler' }
  await patch(admin, DAEMON_SETS, at, { spec: { template } }, 'merge')
  await vi.waitFor(async () => {
    const { status } = await get<DaemonSet>(admin, DAEMON_SETS, at)
    const { numberUnavailable = 0 } = status as { numberUnavailable?: number }
    most = Math.max(most, numberUnavailable)
    const now = await podsOf('virt-handler')
    expect(now.filter(isPodReady)).toHaveLength(2)
    expect(now.filter(({ metadata }) => before.includes(metadata.uid))).toEqual([])
  }, patience)
  expect(most).toBeLessThanOrEqual(1)
})

test('a DaemonSet keeps its templates as revisions, and one that comes back is the newest', async () => {
  const at = { namespace, name: 'virt-handler' }
  const revisions = async () => {
    const { items } = await list<ControllerRevision>(admin, CONTROLLER_REVISIONS, { namespace })
    return items.toSorted((a, b) => a.revision - b.revision)
  }
  const pinned = (value: string | null) =>
    patch(
      admin,
      DAEMON_SETS,
      at,
      { spec: { template: { metadata: { annotations: { pinned: value } } } } },
      'merge',
    )
  const before = (await revisions()).at(-1)
  await pinned('yes')
  const after = await vi.waitFor(async () => {
    const [newest, ...older] = (await revisions()).reverse()
    expect(newest?.data.spec.template.metadata?.annotations).toMatchObject({ pinned: 'yes' })
    expect(older[0]?.metadata.name).toBe(before?.metadata.name)
    return newest
  }, patience)
  expect(after?.revision).toBe((before?.revision ?? 0) + 1)
  expect(after?.data.spec.template.$patch).toBe('replace')
  await pinned(null)
  await vi.waitFor(async () => {
    const newest = (await revisions()).at(-1)
    expect(newest?.metadata.name).toBe(before?.metadata.name)
    expect(newest?.revision).toBe((after?.revision ?? 0) + 1)
  }, patience)
  await allReady('virt-handler', 2)
})

test('a service tells which pods are behind it, as long as it and they are there', async () => {
  const at = { namespace: 'default', name: 'behind' }
  const pod = (name: string, image: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...at, name, labels: { app: 'behind' } },
    spec: { containers: [{ name: 'web', image, ports: [{ name: 'web', containerPort: 8080 }] }] },
  })
  const ports = [{ port: 80, targetPort: 'web' }]
  const spec = { selector: { app: 'behind' }, ports }
  await create(admin, PODS, pod('behind-1', 'web:1'), { namespace: 'default' })
  await create(
    admin,
    SERVICES,
    { apiVersion: 'v1', kind: 'Service', metadata: at, spec },
    {
      namespace: 'default',
    },
  )
  const slices = async () => {
    const labelSelector = 'kubernetes.io/service-name=behind'
    const query = { namespace: 'default', labelSelector }
    return (await list<EndpointSlice>(admin, ENDPOINT_SLICES, query)).items
  }
  await vi.waitFor(async () => {
    const { status } = await get<Pod>(admin, PODS, { ...at, name: 'behind-1' })
    expect(await slices()).toMatchObject([
      {
        endpoints: [{ addresses: [status?.podIP], conditions: { ready: true } }],
        ports: [{ port: 8080, protocol: 'TCP' }],
      },
    ])
    expect(await get(admin, ENDPOINTS, at)).toMatchObject({
      subsets: [{ addresses: [{ ip: status?.podIP, targetRef: { name: 'behind-1' } }] }],
    })
  }, patience)
  await remove(admin, PODS, { ...at, name: 'behind-1' })
  await vi.waitFor(async () => {
    expect((await slices())[0]?.endpoints ?? []).toEqual([])
    expect(await get(admin, ENDPOINTS, at)).not.toHaveProperty('subsets')
  }, patience)
  await remove(admin, SERVICES, at)
  await vi.waitFor(async () => {
    expect(await slices()).toEqual([])
    expect(await getIfExists(admin, ENDPOINTS, at)).toBeUndefined()
  }, patience)
})

test('a node that is tainted keeps what is there, and takes nothing new', async () => {
  const taint = (taints: object[]) =>
    patch(admin, NODES, { name: 'node-2' }, { spec: { taints } }, 'merge')
  const before = await handlerOn('node-2')
  await taint([{ key: 'mine', effect: 'NoSchedule' }])
  onTestFinished(async () => {
    await taint([])
    await allReady('virt-handler', 2)
  })
  await vi.waitFor(async () => {
    const { status } = await get<DaemonSet>(admin, DAEMON_SETS, { namespace, name: 'virt-handler' })
    expect(status).toMatchObject({ desiredNumberScheduled: 1, numberMisscheduled: 1 })
  }, patience)
  expect((await handlerOn('node-2')).metadata.uid).toBe(before.metadata.uid)
})

test("anybody's Deployment gets its pods, more of them, others for another image, and the first again", async () => {
  const at = { namespace: 'default', name: 'web' }
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } }
  const spec = { replicas: 2, selector: { matchLabels: labels }, template }
  const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: at, spec }
  await create(admin, DEPLOYMENTS, web, { namespace: 'default' })
  await allReady('web', 2, 'default')
  await patch(admin, DEPLOYMENTS, at, { spec: { replicas: 3 } }, 'merge')
  const before = await allReady('web', 3, 'default')

  const containers = [{ name: 'web', image: 'web:2' }]
  await patch(admin, DEPLOYMENTS, at, { spec: { template: { spec: { containers } } } }, 'strategic')
  await vi.waitFor(async () => {
    const { metadata, status } = await get<Deployment>(admin, DEPLOYMENTS, at)
    const counts = { replicas: 3, updatedReplicas: 3, availableReplicas: 3 }
    expect(status).toMatchObject({ observedGeneration: metadata.generation, ...counts })
  }, patience)
  const after = await allReady('web', 3, 'default')
  const old = before.map(({ metadata }) => metadata.name)
  expect(after.filter(({ metadata }) => old.includes(metadata.name))).toEqual([])
  const { metadata, status } = await get<Deployment>(admin, DEPLOYMENTS, at)
  expect(metadata.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '2' })
  expect(status?.conditions).toMatchObject([
    { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
    { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
  ])
  await vi.waitFor(async () => {
    const { items } = await list<Event>(admin, EVENTS, { namespace: 'default' })
    const told = items.filter(({ involvedObject }) => involvedObject.name === 'web')
    expect(told.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Scaled up replica set web-\w+ from 0 to 2$/),
        expect.stringMatching(/^Scaled up replica set web-\w+ from 2 to 3$/),
        expect.stringMatching(/^Scaled down replica set web-\w+ from 1 to 0$/),
      ]),
    )
  }, patience)

  const revisions = async () => {
    const { items } = await list<ReplicaSet>(admin, REPLICA_SETS, { namespace: 'default' })
    return items.map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'])
  }
  // As kubectl rollout undo sends it: with a null, and in an order of its own.
  const back = { ...template.spec, containers: [{ image: 'web:1', name: 'web' }] }
  const undone = { spec: back, metadata: { labels, creationTimestamp: null } }
  const replaced = { op: 'replace', path: '/spec/template', value: undone }
  await patch(admin, DEPLOYMENTS, at, [replaced], 'json')
  await vi.waitFor(async () => {
    expect((await revisions()).toSorted()).toEqual(['2', '3'])
    const { metadata } = await get<Deployment>(admin, DEPLOYMENTS, at)
    expect(metadata.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '3' })
  }, patience)

  await remove(admin, DEPLOYMENTS, at)
  await vi.waitFor(async () => expect(await podsOf('web', 'default')).toEqual([]), patience)
})
