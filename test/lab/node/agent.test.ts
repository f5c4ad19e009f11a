import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import type { Cluster } from '../../../src/cluster/cluster.ts'
import { connect } from '../../../src/cluster/config.ts'
import { create, get, list, patch, remove } from '../../../src/cluster/objects.ts'
import { handlerMetricsPath } from '../../../src/kubevirt/metrics.ts'
import { EVENTS, NODES, PODS, VMIS } from '../../../src/kubevirt/resources.ts'
import type { Event, Pod, Vmi } from '../../../src/kubevirt/types.ts'
import { type ApiServer, startApiServer } from '../../../src/lab/api/server.ts'
import { wellKnownUsers } from '../../../src/lab/api/users.ts'
import { type Agent, startAgent } from '../../../src/lab/node/agent.ts'
import { handlerCertificates } from '../../../src/lab/node/certificates.ts'

const NAMES = ['node-1', 'node-2']
let folder: string
let api: ApiServer
let admin: Cluster
let controller: Cluster
let agents: Agent[] = []

beforeEach(async () => {
  folder = await mkdtemp('/tmp/mig-')
  api = await startApiServer({ clock: systemClock, users: wellKnownUsers(NAMES) })
  const kubeconfigText = api.kubeconfig('admin')
  const as = (context: string) => connect({ kubeconfigText, context, clock: systemClock, env: {} })
  admin = await as('admin')
  controller = await as('system:serviceaccount:kubevirt:kubevirt-controller')
  const certificates = await handlerCertificates(systemClock.now())
  agents = []
  for (const [index, node] of NAMES.entries()) {
    await create(admin, NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: node } })
    const contexts = {
      kubelet: `system:node:${node}`,
      handler: `system:serviceaccount:kubevirt:kubevirt-handler@${node}`,
    }
    const spec = {
      node,
      number: index + 1,
      addresses: { pod: '127.0.0.1', migration: '127.0.0.1' },
      kubeconfig: kubeconfigText,
      contexts,
      ...certificates,
      apiServerCa: api.caCert,
      folder,
      guests: 'synthetic' as const,
      ownNetwork: false,
    }
    agents.push(await startAgent(spec, systemClock, () => {}))
  }
})
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.close()))
  await Promise.all([admin.close(), controller.close()])
  await api.close()
  expect(await readdir(folder)).toEqual([])
  await rm(folder, { recursive: true })
})

/** What virt-controller would do: a launcher pod on a node. */
async function launcherPod(name: string, node: string, vmi: Vmi, labels = {}): Promise<Pod> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      labels: {
        'kubevirt.io': 'virt-launcher',
        'kubevirt.io/created-by': vmi.metadata.uid ?? '',
        ...labels,
      },
      annotations: { 'kubevirt.io/domain': vmi.metadata.name },
    },
    spec: {
      nodeName: node,
      containers: [{ name: 'compute', image: 'registry/virt-launcher:v1.9.0' }],
      restartPolicy: 'Never',
    },
  }
  return create<Pod>(admin, PODS, pod, { namespace: 'default' })
}

async function runningVmi(spec: Partial<Vmi['spec']> = {}): Promise<Vmi> {
  const created = await create<Vmi>(
    admin,
    VMIS,
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name: 'vm', namespace: 'default' },
      spec: {
        domain: {
          cpu: { model: 'Haswell' },
          memory: { guest: '8Mi' },
          devices: { interfaces: [{ name: 'default', masquerade: {} }] },
        },
        networks: [{ name: 'default', pod: {} }],
        ...spec,
      },
    },
    { namespace: 'default' },
  )
  await launcherPod('launcher-1', 'node-1', created)
  await play({
    metadata: { labels: { 'kubevirt.io/nodeName': 'node-1' } },
    status: { phase: 'Scheduled', nodeName: 'node-1' },
  })
  await expect.poll(async () => (await vmiNow()).status?.phase).toBe('Running')
  return vmiNow()
}

const play = (change: object) =>
  patch(controller, VMIS, { namespace: 'default', name: 'vm' }, change, 'merge')
const vmiNow = () => get<Vmi>(admin, VMIS, { namespace: 'default', name: 'vm' })
const podNow = (name: string) => get<Pod>(admin, PODS, { namespace: 'default', name })
const stateNow = async () => (await vmiNow()).status?.migrationState

async function handOver(configuration = {}): Promise<void> {
  const vmi = await vmiNow()
  await launcherPod('launcher-2', 'node-2', vmi, { 'kubevirt.io/migrationJobUID': 'M1' })
  await expect.poll(async () => (await podNow('launcher-2')).status?.phase).toBe('Running')
  await play({
    metadata: { labels: { 'kubevirt.io/migrationTargetNodeName': 'node-2' } },
    status: {
      migrationState: {
        migrationUid: 'M1',
        sourceNode: 'node-1',
        sourcePod: 'launcher-1',
        targetNode: 'node-2',
        targetPod: 'launcher-2',
        migrationConfiguration: { completionTimeoutPerGiB: 150, ...configuration },
      },
    },
  })
}

async function messages(): Promise<string[]> {
  const { items } = await list<Event>(admin, EVENTS, { namespace: 'default' })
  return items
    .filter(({ involvedObject }) => involvedObject.kind === 'VirtualMachineInstance')
    .map(({ type, reason, message }) => `${type} ${reason} ${message}`)
}

test('a scheduled VMI comes to run, and says how it could move', async () => {
  const vmi = await runningVmi()
  expect(vmi.status).toMatchObject({
    migrationMethod: 'LiveMigration',
    migrationTransport: 'Unix',
    conditions: expect.arrayContaining([
      { type: 'LiveMigratable', status: 'True', lastProbeTime: null, lastTransitionTime: null },
    ]),
  })
  const pod = await podNow('launcher-1')
  expect(pod.status).toMatchObject({ phase: 'Running', qosClass: 'BestEffort' })
  expect(vmi.status?.interfaces?.[0]?.ipAddress).toBe(pod.status?.podIP)
})

test.each([
  ['over two channels', {}, 2],
  [
    'over three, when it has a local disk',
    { volumes: [{ name: 'd', emptyDisk: { capacity: '1Mi' } }] },
    3,
  ],
])(
  'a VMI that was handed over arrives %s; nothing is left of it at the source',
  async (_, spec, channels) => {
    await runningVmi(spec)
    await handOver()
    await expect.poll(async () => (await stateNow())?.completed, { timeout: 10_000 }).toBe(true)
    const { status, metadata } = await vmiNow()
    expect(status?.nodeName).toBe('node-2')
    expect(metadata.labels).toEqual({ 'kubevirt.io/nodeName': 'node-2' })
    const state = status?.migrationState
    expect(state).toMatchObject({
      targetNodeAddress: '127.0.0.1',
      targetNodeDomainDetected: true,
      mode: 'PreCopy',
      startTimestamp: expect.stringMatching(/Z$/),
      endTimestamp: expect.stringMatching(/Z$/),
      targetNodeDomainReadyTimestamp: expect.stringMatching(/Z$/),
    })
    expect(state?.failed).toBeUndefined()
    const labels = Object.values(state?.targetDirectMigrationNodePorts ?? {})
    expect(labels.toSorted()).toEqual([0, 49152, 49153].slice(0, channels))
    await expect.poll(async () => (await podNow('launcher-1')).status?.phase).toBe('Succeeded')
    const ports = Object.keys(state?.targetDirectMigrationNodePorts ?? {})
    await expect
      .poll(messages)
      .toEqual(
        expect.arrayContaining([
          'Normal PreparingTarget VirtualMachineInstance Migration Target Prepared.',
          `Normal PreparingTarget Migration Target is listening at 127.0.0.1, on ports: ${ports.join(',')}`,
          'Normal Migrating VirtualMachineInstance is migrating.',
          'Normal Migrated The VirtualMachineInstance migrated to node node-2.',
        ]),
      )
  },
)

const slow = { bandwidthPerMigration: '2Mi' }

test('progress and outcome are served by the metrics of the source', async () => {
  await create(
    admin,
    PODS,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'virt-handler-1',
        namespace: 'kubevirt',
        labels: { 'kubevirt.io': 'virt-handler' },
      },
      spec: { nodeName: 'node-1', containers: [{ name: 'virt-handler', image: 'x' }] },
    },
    { namespace: 'kubevirt' },
  )
  await runningVmi()
  await handOver({ bandwidthPerMigration: '8Mi' })
  const text = () =>
    admin.text({ path: handlerMetricsPath('kubevirt', 'virt-handler-1') }).catch(() => '')
  await expect
    .poll(text)
    .toMatch(
      /kubevirt_vmi_migration_data_remaining_bytes\{namespace="default",name="vm",node="node-1"\} \d+ \d+/,
    )
  await expect
    .poll(text, { timeout: 5000 })
    .toContain('kubectl_mig_lab_migration_verified{namespace="default",name="vm",uid="M1"} 1')
})

describe('a migration that does not end well leaves the guest where it was', () => {
  test('cancelled while it runs', async () => {
    await runningVmi()
    await handOver(slow)
    await expect.poll(async () => (await stateNow())?.startTimestamp).toBeTruthy()
    await play({ status: { migrationState: { abortRequested: true } } })
    await expect.poll(async () => (await stateNow())?.failed).toBe(true)
    expect(await stateNow()).toMatchObject({
      completed: true,
      abortStatus: 'Succeeded',
      failureReason: 'Live migration has been aborted',
      endTimestamp: expect.any(String),
    })
    await expect.poll(async () => (await podNow('launcher-2')).status?.phase).toBe('Succeeded')
    await expect
      .poll(async () => (await vmiNow()).metadata.labels)
      .toEqual({ 'kubevirt.io/nodeName': 'node-1' })
    expect((await podNow('launcher-1')).status?.phase).toBe('Running')
    await expect
      .poll(messages)
      .toEqual(
        expect.arrayContaining([
          'Normal Migrating VirtualMachineInstance is aborting migration.',
          'Warning Migrated VirtualMachineInstance migration uid M1 failed. reason:Live migration has been aborted',
        ]),
      )
  })

  test('the target pod is taken away', async () => {
    await runningVmi()
    await handOver(slow)
    await expect.poll(async () => (await stateNow())?.startTimestamp).toBeTruthy()
    await remove(
      admin,
      PODS,
      { namespace: 'default', name: 'launcher-2' },
      { gracePeriodSeconds: 0 },
    )
    await expect.poll(async () => (await stateNow())?.failed).toBe(true)
    expect((await stateNow())?.failureReason).toMatch(/^virError/)
    expect((await vmiNow()).status?.nodeName).toBe('node-1')
  })
})

test('a pod that is deleted ends in order and goes; a deleted VMI ends with its guest', async () => {
  await runningVmi()
  await remove(admin, VMIS, { namespace: 'default', name: 'vm' })
  await expect.poll(async () => (await podNow('launcher-1')).status?.phase).toBe('Succeeded')
  await expect.poll(async () => (await vmiNow()).status?.phase).toBe('Succeeded')
  await remove(admin, PODS, { namespace: 'default', name: 'launcher-1' })
  await expect
    .poll(() => list<Pod>(admin, PODS, { namespace: 'default' }).then((l) => l.items))
    .toEqual([])
})

test('a guest whose pod is taken away is shut down, which is no failure', async () => {
  await runningVmi()
  await remove(admin, PODS, { namespace: 'default', name: 'launcher-1' })
  await expect.poll(async () => (await vmiNow()).status?.phase).toBe('Succeeded')
  await expect.poll(messages).toContain('Normal Stopped The VirtualMachineInstance was shut down.')
})
