import { expect, test } from 'vitest'
import { patch } from '../../../src/cluster/objects.ts'
import { MIGRATIONS, NODES, PODS, VMIS, VMS } from '../../../src/kubevirt/resources.ts'
import type { Pod, Vm, Vmi } from '../../../src/kubevirt/types.ts'
import { startControlPlane } from './control-plane.ts'

const TIME = '2026-01-01T00:00:00Z'
const at = (name: string) => ({ namespace: 'demo', name })
const GATE = { developerConfiguration: { featureGates: ['DecentralizedLiveMigration'] } }

test('a migration between clusters needs its gate', async () => {
  const plane = await startControlPlane()
  await plane.run('here', 'node-1')
  const sendTo = { migrationID: 'id', connectURL: 'there:9185' }
  const made = plane.create(MIGRATIONS, {
    metadata: { name: 'm' },
    spec: { vmiName: 'here', sendTo },
  })
  await expect(made).rejects.toThrow('DecentralizedLiveMigration feature gate is not enabled')
})

// Both clusters in one: the test carries their states across, which is virt-synchronization-controller's part.
test('the halves of a migration between clusters go phase by phase with each other', async () => {
  const plane = await startControlPlane({ configuration: GATE })
  const labels = {
    'host-model-cpu.node.kubevirt.io/Skylake': 'true',
    'cpu-vendor.node.kubevirt.io/Intel': 'true',
  }
  await patch(plane.admin, NODES, { name: 'node-1' }, { metadata: { labels } }, 'merge')
  const template = { spec: { domain: { cpu: { model: 'host-model' }, devices: {} } } }
  const annotations = { 'kubevirt.io/restore-run-strategy': 'RerunOnFailure' }
  const spec = (runStrategy: string) => ({ runStrategy, template })
  await plane.create(VMS, { metadata: { name: 'here' }, spec: spec('Always') })
  await plane.create(VMS, {
    metadata: { name: 'there', annotations },
    spec: spec('WaitAsReceiver'),
  })
  const vmi = (name: string) => plane.get<Vmi>(VMIS, name)
  const phase = (name: string, wanted: string) =>
    plane.until(
      async () => (await vmi(name).catch(() => undefined))?.status?.phase === wanted,
      `${name} to be ${wanted}`,
    )
  const reached = (name: string, wanted: string) =>
    plane.until(async () => (await plane.phaseOf(name)) === wanted, `${name} to be ${wanted}`)
  const write = (name: string, status: object) =>
    patch(plane.controller, VMIS, at(name), { status }, 'merge')
  const states = async (name: string) => {
    const { sourceState, targetState } = (await vmi(name)).status?.migrationState ?? {}
    return { sourceState, targetState }
  }

  const source = await plane.launcherOf('here')
  await plane.start(source, 'node-1')
  await phase('here', 'Scheduled')
  await plane.handle('node-1', 'here', {
    phase: 'Running',
    selinuxContext: 'none',
    conditions: [{ type: 'LiveMigratable', status: 'True' }],
  })
  await phase('there', 'WaitingForSync')

  const sendTo = { migrationID: 'id', connectURL: 'there:9185' }
  await plane.create(MIGRATIONS, { metadata: { name: 'send' }, spec: { vmiName: 'here', sendTo } })
  const receive = { migrationID: 'id' }
  await plane.create(MIGRATIONS, { metadata: { name: 'get' }, spec: { vmiName: 'there', receive } })
  await reached('send', 'Synchronizing')
  await reached('get', 'WaitingForSync')
  await plane.until(async () => (await states('here')).targetState?.['syncAddress'], 'an address')
  await plane.until(async () => (await states('there')).targetState?.['migrationUID'], 'its uid')
  expect((await plane.all<Pod>(PODS)).length).toBe(1)

  await write('here', { migrationState: { targetState: (await states('there')).targetState } })
  await reached('send', 'Scheduling')
  await plane.until(async () => (await states('here')).sourceState?.['node'], 'its node')
  const { sourceState } = await states('here')
  expect(sourceState).toMatchObject({
    node: 'node-1',
    pod: source.metadata.name,
    nodeSelectors: { 'host-model-cpu.node.kubevirt.io/Skylake': 'true' },
    selinuxContext: 'none',
  })
  await write('there', { migrationState: { sourceState } })
  const target = await plane.targetOf('get')
  expect(target.spec.nodeSelector).toMatchObject({
    'cpu-model-migration.node.kubevirt.io/Skylake': 'true',
  })
  expect(JSON.stringify(target.spec.affinity)).toContain(
    '{"key":"kubernetes.io/hostname","operator":"NotIn","values":["node-1"]}',
  )
  await plane.start(target, 'node-2')
  await reached('get', 'PreparingTarget')
  expect((await vmi('there')).status?.migrationState).toMatchObject({
    sourceNode: 'node-1',
    targetState: { node: 'node-2', pod: target.metadata.name, domainName: 'there' },
  })
  await plane.handle('node-2', 'there', {
    migrationState: { targetNodeAddress: '10.0.0.2', targetState: { nodeAddress: '10.0.0.2' } },
  })
  await reached('get', 'TargetReady')
  await write('here', { migrationState: { targetState: (await states('there')).targetState } })
  await reached('send', 'TargetReady')

  const begin = { migrationState: { startTimestamp: TIME } }
  for (const name of ['here', 'there']) await write(name, begin)
  await reached('send', 'Running')
  await reached('get', 'Running')
  const end = { migrationState: { endTimestamp: TIME, completed: true } }
  await write('there', { ...end, phase: 'Running', nodeName: 'node-2' })
  await write('here', end)
  await reached('get', 'Succeeded')
  await reached('send', 'Succeeded')
  const pod = { ...source.metadata, subresource: 'status' }
  await patch(plane.admin, PODS, pod, { status: { phase: 'Succeeded' } }, 'strategic')
  const strategy = async (name: string) => (await plane.get<Vm>(VMS, name)).spec.runStrategy
  await plane.until(async () => (await strategy('here')) === 'Halted', 'the VM that left to halt')
  await plane.until(async () => (await strategy('there')) === 'RerunOnFailure', 'the other to run')
}, 30_000)
