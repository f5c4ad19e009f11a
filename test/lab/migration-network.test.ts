import { platform } from 'node:os'
import { connect } from 'node:tls'
import { expect, test } from 'vitest'
import { create, get, getIfExists, list, patch, remove } from '../../src/cluster/objects.ts'
import { isFinal, phaseOf, publishedPorts } from '../../src/kubevirt/migration.ts'
import { KUBEVIRTS, MIGRATIONS, PODS, VMIS } from '../../src/kubevirt/resources.ts'
import type { Migration, Pod, Vmi } from '../../src/kubevirt/types.ts'
import { runningLab } from './running.ts'

const STATUS = 'k8s.v1.cni.cncf.io/network-status'
const patience = { timeout: 20_000, interval: 50 }

const { admin } = await runningLab({
  name: 'network',
  vms: 1,
  guest: 'synthetic',
  memory: '4Mi',
})

const configure = (migrations: object) =>
  patch(
    admin,
    KUBEVIRTS,
    { namespace: 'kubevirt', name: 'kubevirt' },
    { spec: { configuration: { migrations } } },
    'merge',
  )

async function handlers(): Promise<Pod[]> {
  const labelSelector = 'kubevirt.io=virt-handler'
  const { items } = await list<Pod>(admin, PODS, { namespace: 'kubevirt', labelSelector })
  return items.filter(({ status }) => status?.phase === 'Running')
}

/** Of each running virt-handler: its addresses on networks beside the pod's own. */
async function attached(): Promise<string[]> {
  return (await handlers()).map(({ metadata }) => {
    const text = metadata.annotations?.[STATUS] ?? '[]'
    const networks = JSON.parse(text) as { interface: string; ips?: string[] }[]
    return networks.find((one) => one.interface === 'migration0')?.ips?.[0] ?? ''
  })
}

let moves = 0
async function begin(): Promise<() => Promise<Migration>> {
  const name = `move-${++moves}`
  const migration = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name, namespace: 'default' },
    spec: { vmiName: 'vm-1' },
  }
  await create(admin, MIGRATIONS, migration, { namespace: 'default' })
  return () => get<Migration>(admin, MIGRATIONS, { namespace: 'default', name })
}

async function move(): Promise<Migration> {
  return end(await begin())
}

async function end(now: () => Promise<Migration>): Promise<Migration> {
  await expect
    .poll(async () => {
      const { metadata, ...rest } = await now()
      return isFinal({ metadata, ...rest }) && !metadata.finalizers?.length
    }, patience)
    .toBe(true)
  return now()
}

/** What a move was seen to use: the target's address, and what its virt-handler's own address is. */
async function addressesOf({ status }: Migration): Promise<{ used: string; pod: string }> {
  const state = status?.migrationState
  const handler = (await handlers()).find(({ spec }) => spec.nodeName === state?.targetNode)
  return { used: state?.targetNodeAddress ?? '', pod: handler?.status?.podIP ?? '' }
}

/** Whether the memory channel of a copy under way is encrypted; then it is cancelled, as our connection may have broken it. */
async function isEncrypted(): Promise<boolean> {
  const now = await begin()
  await expect.poll(async () => phaseOf(await now()), patience).toBe('Running')
  const { status } = await get<Vmi>(admin, VMIS, { namespace: 'default', name: 'vm-1' })
  const memory = publishedPorts(status?.migrationState).find(({ label }) => label === 49152)
  const answer = await new Promise<boolean>((resolve) => {
    const socket = connect({
      host: status?.migrationState?.targetNodeAddress ?? '',
      port: memory?.port ?? 0,
      rejectUnauthorized: false,
    })
    socket.once('secureConnect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.once('secureConnect', () => socket.destroy())
  })
  const at = { namespace: 'default', name: (await now()).metadata.name }
  await remove(admin, MIGRATIONS, at, {})
  await expect.poll(() => getIfExists(admin, MIGRATIONS, at), patience).toBeUndefined()
  return answer
}

test('a copy is encrypted unless that is disabled', async () => {
  for (const disableTLS of [false, true]) {
    await configure({ disableTLS, bandwidthPerMigration: '64Ki' })
    expect(await isEncrypted()).toBe(!disableTLS)
    await configure({ bandwidthPerMigration: null })
    expect(phaseOf(await move())).toBe('Succeeded')
  }
  await configure({ disableTLS: false })
}, 60_000)

test('without a migration network a copy goes to the pod’s address', async () => {
  const first = await move()
  expect(phaseOf(first)).toBe('Succeeded')
  const addresses = await addressesOf(first)
  expect(addresses.used).toBe(addresses.pod)
})

test.runIf(platform() === 'linux')(
  'with one, new virt-handlers are attached and copies go there; without, they fall back',
  async () => {
    await configure({ network: 'migration' })
    await expect
      .poll(attached, patience)
      .toEqual([expect.stringMatching(/^127\.78\./), expect.stringMatching(/^127\.78\./)])
    const migration = await move()
    expect(phaseOf(migration)).toBe('Succeeded')
    const addresses = await addressesOf(migration)
    expect(addresses.used).toMatch(/^127\.78\./)
    expect(addresses.pod).toMatch(/^127\.77\./)

    await configure({ network: null })
    await expect.poll(attached, patience).toEqual(['', ''])
    const { used, pod } = await addressesOf(await move())
    expect(used).toBe(pod)
  },
  60_000,
)
