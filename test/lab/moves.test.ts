import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { create, get, list, patch } from '../../src/cluster/objects.ts'
import { conditionOf, phaseOf } from '../../src/kubevirt/migration.ts'
import { attachedNetworks, podInterfaceName } from '../../src/kubevirt/multus.ts'
import { EVENTS, MIGRATIONS, PODS, PVCS, VMIS, VMS } from '../../src/kubevirt/resources.ts'
import type { Event, Migration, Pod, Vm, Vmi } from '../../src/kubevirt/types.ts'
import { labVm } from '../../src/lab/seed.ts'
import { runningLab } from './running.ts'

const execute = promisify(execFile)
const kubectl = await execute('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
)

const { lab, admin } = await runningLab({
  name: 'moves',
  vms: 20,
})

const at = (name: string) => ({ namespace: 'default', name })
const vmiNow = (name: string) => get<Vmi>(admin, VMIS, at(name))
const patience = { timeout: 60_000, interval: 100 }
const blue = (networkName: string) => ({ name: 'blue', multus: { networkName } })

/** The migrations that KubeVirt has made for the VM, with their phases. */
async function movesOf(name: string): Promise<string[]> {
  const { items } = await list<Migration>(admin, MIGRATIONS, { namespace: 'default' })
  return items
    .filter(({ spec }) => spec.vmiName === name)
    .map((one) => `${one.metadata.name.replace(/-[^-]*$/, '')} ${phaseOf(one)}`)
}

/** What the launcher of a VM that has moved is attached to. */
async function attachmentsOf(name: string): Promise<Map<string, string>> {
  const { metadata, status } = await vmiNow(name)
  const labelSelector = `kubevirt.io/created-by=${metadata.uid}`
  const { items } = await list<Pod>(admin, PODS, { namespace: 'default', labelSelector })
  const own = items.find(({ spec }) => spec.nodeName === status?.nodeName)
  return own ? attachedNetworks(own) : new Map()
}

async function hasMoved(name: string): Promise<void> {
  await expect.poll(() => movesOf(name), patience).toEqual(['kubevirt-workload-update Succeeded'])
  const after = await vmiNow(name)
  expect(conditionOf(after, 'MigrationRequired')).toBeUndefined()
  await expect
    .poll(async () => (await vmiNow(name)).status?.interfaces, patience)
    .toContainEqual(
      expect.objectContaining({
        name: 'blue',
        infoSource: 'domain, multus-status',
        podInterfaceName: podInterfaceName('blue'),
      }),
    )
}

test('a VM that gets an interface moves by itself', async () => {
  const { spec } = await get<Vm>(admin, VMS, at('vm-1'))
  const template = spec.template?.spec
  const interfaces = [
    ...(template?.domain?.devices?.interfaces ?? []),
    { name: 'blue', bridge: {} },
  ]
  const networks = [...(template?.networks ?? []), blue('blue')]
  const change = { spec: { template: { spec: { domain: { devices: { interfaces } }, networks } } } }
  await patch(admin, VMS, at('vm-1'), change, 'merge')
  await hasMoved('vm-1')
  expect((await attachmentsOf('vm-1')).get(podInterfaceName('blue'))).toBe('default/blue')
}, 90_000)

test('a VM that loses an interface moves by itself', async () => {
  const vm = labVm('loser', { memory: '64Mi' }, false)
  const its = vm.spec.template?.spec
  its?.domain?.devices?.interfaces?.push({ name: 'blue', bridge: {} })
  its?.networks?.push(blue('blue'))
  await create(admin, VMS, vm, { namespace: 'default' })
  const names = async () =>
    (await vmiNow('loser').catch(() => undefined))?.status?.interfaces?.map(({ name }) => name)
  await expect.poll(names, patience).toEqual(['default', 'blue'])
  const away = [
    { op: 'add', path: '/spec/template/spec/domain/devices/interfaces/1/state', value: 'absent' },
  ]
  await patch(admin, VMS, at('loser'), away, 'json')
  await expect
    .poll(() => movesOf('loser'), patience)
    .toEqual(['kubevirt-workload-update Succeeded'])
  await expect.poll(names, patience).toEqual(['default'])
  expect((await attachmentsOf('loser')).get(podInterfaceName('blue'))).toBeUndefined()
}, 90_000)

test('a VM whose network is attached elsewhere moves by itself', async () => {
  const vm = labVm('moved', { memory: '64Mi' }, false)
  const its = vm.spec.template?.spec
  its?.domain?.devices?.interfaces?.push({ name: 'blue', bridge: {} })
  its?.networks?.push(blue('blue'))
  await create(admin, VMS, vm, { namespace: 'default' })
  await expect
    .poll(async () => (await vmiNow('moved').catch(() => undefined))?.status?.phase, patience)
    .toBe('Running')
  expect((await attachmentsOf('moved')).get(podInterfaceName('blue'))).toBe('default/blue')
  const networks = [{ name: 'default', pod: {} }, blue('other')]
  await patch(admin, VMS, at('moved'), { spec: { template: { spec: { networks } } } }, 'merge')
  await hasMoved('moved')
  expect((await attachmentsOf('moved')).get(podInterfaceName('blue'))).toBe('default/other')
}, 90_000)

test('a disk that nobody shares moves into another claim, and says until then that it can not move', async () => {
  for (const name of ['old', 'new'])
    await create(
      admin,
      PVCS,
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
      },
      { namespace: 'default' },
    )
  const vm = labVm('disk', { memory: '64Mi' }, false)
  const its = vm.spec.template?.spec ?? {}
  const from = (claimName: string) => [{ name: 'root', persistentVolumeClaim: { claimName } }]
  Object.assign(its, { evictionStrategy: 'LiveMigrate', volumes: from('old') })
  Object.assign(its.domain?.devices ?? {}, { disks: [{ name: 'root', disk: { bus: 'virtio' } }] })
  await create(admin, VMS, vm, { namespace: 'default' })
  const migratable = async () => conditionOf(await vmiNow('disk'), 'LiveMigratable')?.reason
  await expect
    .poll(() => migratable().catch(() => undefined), patience)
    .toBe('DisksNotLiveMigratable')
  const { items } = await list<Event>(admin, EVENTS, { namespace: 'default' })
  const told = items.filter(({ involvedObject }) => involvedObject.name === 'disk')
  expect(told.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(
      /^EvictionStrategy is set but vmi is not migratable; cannot migrate VMI: /,
    ),
  )

  const change = {
    updateVolumesStrategy: 'Migration',
    template: { spec: { volumes: from('new') } },
  }
  await patch(admin, VMS, at('disk'), { spec: change }, 'merge')
  await expect.poll(() => movesOf('disk'), patience).toEqual(['kubevirt-workload-update Succeeded'])
  const after = await vmiNow('disk')
  expect(after.spec.volumes).toEqual(from('new'))
  await expect
    .poll(async () => (await vmiNow('disk')).status?.migratedVolumes, patience)
    .toBeUndefined()
  expect(conditionOf(await vmiNow('disk'), 'VolumesChange')).toBeUndefined()
  const { status } = await get<Vm>(admin, VMS, at('disk'))
  expect(status?.volumeUpdateState?.volumeMigrationState?.migratedVolumes).toMatchObject([
    { volumeName: 'root', sourcePVCInfo: { claimName: 'old' } },
  ])
}, 120_000)

test.runIf(kubectl)(
  'kubectl drains a node with ten VMs to the end',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'drain-'))
    try {
      const config = join(folder, 'config')
      await writeFile(config, lab.kubeconfig(), { mode: 0o600 })
      const on = async (node: string) =>
        (await list<Vmi>(admin, VMIS, {})).items.filter(({ status }) => status?.nodeName === node)
      expect((await on('node-1')).length).toBeGreaterThanOrEqual(9)
      const words = ['--delete-emptydir-data', '--ignore-daemonsets']
      const kube = (...argv: string[]) => execute('kubectl', ['--kubeconfig', config, ...argv])
      const { stdout, stderr } = await kube('drain', 'node-1', ...words, '--timeout=100s')
      expect(stdout).toMatch(/node\/node-1 drained\n$/)
      expect(stdout).toMatch(/pod\/virt-controller-\w+-\w+ evicted\n/)
      expect(stderr).toMatch(
        /^Warning: ignoring DaemonSet-managed Pods: kubevirt\/virt-handler-\w+\n/,
      )
      expect(await on('node-1')).toEqual([])
      for (const { status } of await on('node-2')) expect(status?.phase).toBe('Running')
      await kube('uncordon', 'node-1')
    } finally {
      await rm(folder, { recursive: true })
    }
  },
  120_000,
)
