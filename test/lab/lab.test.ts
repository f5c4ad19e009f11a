import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startInformer } from '../../src/cluster/informer.ts'
import { create, get, list, remove } from '../../src/cluster/objects.ts'
import { handlerMetricsPath, parseMetrics } from '../../src/kubevirt/metrics.ts'
import { isFinal, phaseOf, publishedPorts } from '../../src/kubevirt/migration.ts'
import { MIGRATIONS, PODS, VMIS } from '../../src/kubevirt/resources.ts'
import type { Migration, Pod, Vmi } from '../../src/kubevirt/types.ts'
import { runningLab } from './running.ts'

const { lab, admin } = await runningLab({
  name: 'test',
  nodes: 3,
  vms: 6,
  guest: 'synthetic',
  memory: '16Mi',
})

async function migrate(vmi: string): Promise<Migration> {
  return create<Migration>(
    admin,
    MIGRATIONS,
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { generateName: `${vmi}-`, namespace: 'default' },
      spec: { vmiName: vmi },
    },
    { namespace: 'default' },
  )
}

const migrationNow = ({ metadata }: Migration) =>
  get<Migration>(admin, MIGRATIONS, { namespace: 'default', name: metadata.name })
const vmiNow = (name: string) => get<Vmi>(admin, VMIS, { namespace: 'default', name })

/** Final, and the controller has done with it: it has copied the VMI's state. */
async function ended(migration: Migration): Promise<Migration> {
  await expect
    .poll(async () => {
      const now = await migrationNow(migration)
      return isFinal(now) && !now.metadata.finalizers?.length
    }, patience)
    .toBe(true)
  return migrationNow(migration)
}
const patience = { timeout: 15_000, interval: 25 }

/** The figures that the handlers give now, each with its migration. */
async function figures(): Promise<Set<string>> {
  const prefix = 'kubectl_mig_lab_migration_'
  const names = ['rounds', 'downtime_seconds', 'verified'].map((name) => `${prefix}${name}`)
  const samples = await handlerSamples(names)
  return new Set(samples.map(({ name, labels }) => `${name.slice(prefix.length)} ${labels['uid']}`))
}

async function handlerSamples(names: string[]) {
  const handlers = await list<Pod>(admin, PODS, {
    namespace: 'kubevirt',
    labelSelector: 'kubevirt.io=virt-handler',
  })
  const samples = await Promise.all(
    handlers.items.map(async ({ metadata }) =>
      parseMetrics(
        await admin.text({ path: handlerMetricsPath('kubevirt', metadata.name) }),
        new Set(names),
      ),
    ),
  )
  return samples.flat()
}

/** Whether the source's handler has the target's word that memory and disk are the same, by migration. */
async function verified(): Promise<Set<string>> {
  const samples = await handlerSamples(['kubectl_mig_lab_migration_verified'])
  return new Set(samples.flatMap(({ labels, value }) => (value === 1 ? [labels['uid'] ?? ''] : [])))
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
  })
}

test('a VM moves to another node, its checksum is equal, and all listeners are gone', async () => {
  const before = await vmiNow('vm-1')
  const migration = await ended(await migrate('vm-1'))
  expect(phaseOf(migration)).toBe('Succeeded')
  expect(migration.status?.phaseTransitionTimestamps?.map(({ phase }) => phase)).toEqual([
    'Pending',
    'Scheduling',
    'Scheduled',
    'PreparingTarget',
    'TargetReady',
    'Running',
    'Succeeded',
  ])
  const state = migration.status?.migrationState
  const after = await vmiNow('vm-1')
  expect(after.status?.nodeName).toBe(state?.targetNode)
  expect(after.status?.nodeName).not.toBe(before.status?.nodeName)
  expect(await verified()).toContain(migration.metadata.uid)
  const ports = publishedPorts(state)
  expect(ports.map(({ label }) => label)).toEqual([0, 49152])
  for (const { port } of ports) {
    await expect.poll(() => answers(state?.targetNodeAddress ?? '', port), patience).toBe(false)
  }
  // One launcher a VM again: six folders.
  await expect.poll(() => readdir(lab.socketFolder), patience).toHaveLength(6)
})

test('ten moves of one VM one after the other, with its local disk: equal each time', async () => {
  const moves: Migration[] = []
  for (let i = 0; i < 10; i++) moves.push(await ended(await migrate('vm-6')))
  expect(moves.map(phaseOf)).toEqual(Array(10).fill('Succeeded'))
  const last = moves.at(-1)?.status?.migrationState
  expect(publishedPorts(last).map(({ label }) => label)).toEqual([0, 49152, 49153])
  const equal = await verified()
  for (const { metadata } of moves) expect(equal).toContain(metadata.uid)
}, 60_000)

test('five VMs at once arrive, and the API answers within 50 ms meanwhile', async () => {
  const started = await Promise.all(['vm-1', 'vm-2', 'vm-3', 'vm-4', 'vm-5'].map(migrate))
  const times: number[] = []
  let left = started
  while (left.length > 0) {
    const began = performance.now()
    await vmiNow('vm-1')
    times.push(performance.now() - began)
    const now = await Promise.all(left.map(migrationNow))
    left = now.filter((migration) => !isFinal(migration))
  }
  const all = await Promise.all(started.map(ended))
  expect(all.map(phaseOf)).toEqual(Array(5).fill('Succeeded'))
  const equal = await verified()
  for (const { metadata } of all) expect(equal).toContain(metadata.uid)
  times.sort((a, b) => a - b)
  expect(times[Math.floor(times.length / 2)]).toBeLessThan(50)
}, 60_000)

test('rounds and downtime of a copy can be read as soon as its VMI says completed', async () => {
  const before = (await vmiNow('vm-5')).status?.migrationState?.migrationUid
  const { promise: seen, resolve } = Promise.withResolvers<Promise<Set<string>>>()
  const vmis = startInformer<Vmi>(admin, VMIS, {
    namespace: 'default',
    fieldSelector: 'metadata.name=vm-5',
    onChange: ({ object }) => {
      const state = object.status?.migrationState
      if (state?.completed && state.migrationUid !== before) resolve(figures())
    },
  })
  try {
    await vmis.synced
    const { metadata } = await migrate('vm-5')
    const figure = (name: string) => `${name} ${metadata.uid}`
    expect([...(await seen)]).toEqual(
      expect.arrayContaining(['rounds', 'downtime_seconds', 'verified'].map(figure)),
    )
  } finally {
    await vmis.close()
  }
})

describe('when a move does not come to its end the guest goes on where it was', () => {
  async function slowMove(
    vmi: string,
  ): Promise<{ migration: Migration; from: string | undefined }> {
    const kubevirt = '/apis/kubevirt.io/v1/namespaces/kubevirt/kubevirts/kubevirt'
    const spec = { configuration: { migrations: { bandwidthPerMigration: '1Mi' } } }
    await admin.request({
      method: 'PATCH',
      path: kubevirt,
      body: { spec },
      contentType: 'application/merge-patch+json',
    })
    const from = (await vmiNow(vmi)).status?.nodeName
    const migration = await migrate(vmi)
    await expect.poll(async () => phaseOf(await migrationNow(migration)), patience).toBe('Running')
    return { migration, from }
  }

  test('cancelled in Running', async () => {
    const { migration, from } = await slowMove('vm-2')
    await remove(admin, MIGRATIONS, { namespace: 'default', name: migration.metadata.name })
    await expect
      .poll(async () => (await vmiNow('vm-2')).status?.migrationState, patience)
      .toMatchObject({
        abortRequested: true,
        abortStatus: 'Succeeded',
        failed: true,
        failureReason: 'Live migration has been aborted',
      })
    expect((await vmiNow('vm-2')).status?.nodeName).toBe(from)
    await expect.poll(() => readdir(lab.socketFolder), patience).toHaveLength(6)
  })

  test('its target pod killed', async () => {
    const { migration, from } = await slowMove('vm-3')
    const target = (await vmiNow('vm-3')).status?.migrationState?.targetPod ?? ''
    await remove(admin, PODS, { namespace: 'default', name: target }, { gracePeriodSeconds: 0 })
    expect(phaseOf(await ended(migration))).toBe('Failed')
    expect(await vmiNow('vm-3')).toMatchObject({ status: { phase: 'Running', nodeName: from } })
  })

  test('its target node dead', async () => {
    const { from } = await slowMove('vm-4')
    const target = (await vmiNow('vm-4')).status?.migrationState?.targetNode
    await lab.nodes.find(({ name }) => name === target)?.kill()
    await expect
      .poll(async () => (await vmiNow('vm-4')).status?.migrationState?.failureReason, patience)
      .toMatch(/^virError/)
    expect((await vmiNow('vm-4')).status?.nodeName).toBe(from)
  })
})
