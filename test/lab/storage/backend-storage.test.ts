import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { create, get, getIfExists, list, remove } from '../../../src/cluster/objects.ts'
import { conditionOf } from '../../../src/kubevirt/migration.ts'
import {
  JOBS,
  MIGRATIONS,
  PODS,
  PVCS,
  STORAGE_CLASSES,
  VMIS,
  VMS,
} from '../../../src/kubevirt/resources.ts'
import type { Migration, Pod, Vmi } from '../../../src/kubevirt/types.ts'
import type { Job } from '../../../src/rules/job.ts'
import { claimsIn, type VolumeClaim } from '../../../src/rules/volume-binding.ts'
import { runningLab } from '../running.ts'

const namespace = 'default'

const { lab, admin } = await runningLab({
  name: 'backend-storage',
  guest: 'synthetic',
})

/** The class of new claims from now on: nobody says of it that it can be shared. */
async function oneNodeClass(): Promise<void> {
  const body = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: {
      name: 'one-node',
      annotations: { 'storageclass.kubevirt.io/is-default-virt-class': 'true' },
    },
    provisioner: 'volumes.lab.kubectl-mig.io',
  }
  const known = await getIfExists(admin, STORAGE_CLASSES, { name: 'one-node' })
  if (!known) await create(admin, STORAGE_CLASSES, body)
}

/** A VM that keeps its TPM's state, as soon as it is known whether it can move. */
async function vmWithTpm(name: string, memory = '4Mi'): Promise<Vmi> {
  const spec = {
    terminationGracePeriodSeconds: 0,
    domain: { memory: { guest: memory }, devices: { tpm: { persistent: true } } },
  }
  await create(
    admin,
    VMS,
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name },
      spec: { runStrategy: 'Always', template: { spec } },
    },
    { namespace },
  )
  await expect
    .poll(
      async () =>
        conditionOf(await getIfExists<Vmi>(admin, VMIS, { namespace, name }), 'LiveMigratable'),
      { timeout: 30_000 },
    )
    .toBeDefined()
  return vmiOf(name)
}

const vmiOf = (name: string) => get<Vmi>(admin, VMIS, { namespace, name })

async function claimsOf(name: string): Promise<VolumeClaim[]> {
  const { items } = await list<VolumeClaim>(admin, PVCS, { namespace })
  return items.filter(({ metadata }) => metadata.name.startsWith(`persistent-state-for-${name}-`))
}

/** Moves the VM, and returns the migration when it is over. */
async function move(vmiName: string, name: string): Promise<Migration> {
  const body = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name },
    spec: { vmiName },
  }
  await create(admin, MIGRATIONS, body, { namespace })
  const now = () => get<Migration>(admin, MIGRATIONS, { namespace, name })
  // Its state is copied from the VMI once it is over.
  await expect
    .poll(async () => (await now()).status?.migrationState?.completed, { timeout: 30_000 })
    .toBe(true)
  return now()
}

test('a VM with a TPM that is kept gets a claim of its own, and where that is shared, a move needs no other', async () => {
  const vmi = await vmWithTpm('shared')
  const [claim, ...others] = await claimsOf('shared')
  const { name } = claim!.metadata
  expect(others).toEqual([])
  expect(claim).toMatchObject({
    metadata: {
      labels: { 'persistent-state-for': 'shared' },
      ownerReferences: [{ kind: 'VirtualMachine', name: 'shared', controller: true }],
    },
    spec: {
      accessModes: ['ReadWriteMany'],
      resources: { requests: { storage: '10Mi' } },
      storageClassName: 'lab-storage',
      volumeMode: 'Filesystem',
    },
    status: { phase: 'Bound' },
  })
  expect(conditionOf(vmi, 'LiveMigratable')).toMatchObject({ status: 'True' })
  expect(vmi.status?.migrationMethod).toBe('LiveMigration')
  expect(vmi.status?.volumeStatus).toEqual([
    {
      name,
      target: '',
      persistentVolumeClaimInfo: { claimName: name, accessModes: ['ReadWriteMany'] },
    },
  ])
  const moved = await move('shared', 'move-shared')
  expect(moved.status).toMatchObject({
    phase: 'Succeeded',
    migrationState: {
      sourcePersistentStatePVCName: name,
      targetPersistentStatePVCName: name,
    },
  })
  const target = await get<Pod>(admin, PODS, {
    namespace,
    name: moved.status?.migrationState?.targetPod ?? '',
  })
  expect(claimsIn(target)).toEqual([name])
  expect((await claimsOf('shared')).map(({ metadata }) => metadata.name)).toEqual([name])
}, 90_000)

test('when the target pod is taken away in the middle, a Job finds out that the guest has not gone over, and the claim for it goes', async () => {
  await oneNodeClass()
  await vmWithTpm('broken', '256Mi')
  const [source] = (await claimsOf('broken')).map(({ metadata }) => metadata.name)
  const body = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: 'break' },
    spec: { vmiName: 'broken' },
  }
  await create(admin, MIGRATIONS, body, { namespace })
  const now = () => get<Migration>(admin, MIGRATIONS, { namespace, name: 'break' })
  const slot = async () => (await vmiOf('broken')).status?.migrationState
  await expect.poll(async () => (await slot())?.targetPod, { timeout: 20_000 }).toBeDefined()
  const name = (await slot())?.targetPod ?? ''
  await remove(admin, PODS, { namespace, name }, { gracePeriodSeconds: 0 })
  await expect.poll(async () => (await now()).status?.phase, { timeout: 30_000 }).toBe('Failed')
  expect((await claimsOf('broken')).map(({ metadata }) => metadata.name)).toEqual([source])
  expect(await get<Job>(admin, JOBS, { namespace, name: 'recover-break' })).toMatchObject({
    status: {
      failed: 1,
      conditions: [
        { type: 'FailureTarget', status: 'True', reason: 'PodFailurePolicy' },
        {
          type: 'Failed',
          status: 'True',
          message: expect.stringMatching(
            /^Container container for pod default\/recover-break-\w{5} failed with exit code 42 matching FailJob rule at index 0$/,
          ),
        },
      ],
    },
  })
  expect((await vmiOf('broken')).status?.phase).toBe('Running')
}, 90_000)

test('a move of one whose claim is for one node makes a second claim, which is the VM’s afterwards; the first hangs on its ended launcher', async () => {
  await oneNodeClass()
  const vmi = await vmWithTpm('single')
  const [first] = await claimsOf('single')
  const source = first!.metadata.name
  expect(first?.spec).toMatchObject({
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'one-node',
  })
  // Releases up to 1.3 forbade it.
  expect(conditionOf(vmi, 'LiveMigratable')).toMatchObject({ status: 'True' })
  const moved = await move('single', 'move-single')
  const state = moved.status?.migrationState ?? {}
  const target = state.targetPersistentStatePVCName ?? ''
  expect(moved.status?.phase).toBe('Succeeded')
  expect(state.sourcePersistentStatePVCName).toBe(source)
  expect(target).not.toBe(source)
  await access(join(lab.socketFolder, 'claims', namespace, source, 'meta', 'migrated'))
  const claims = await claimsOf('single')
  const named = (name: string) => claims.find(({ metadata }) => metadata.name === name)?.metadata
  expect(named(target)?.labels).toEqual({ 'persistent-state-for': 'single' })
  expect(named(source)).toMatchObject({
    deletionTimestamp: expect.any(String),
    finalizers: ['kubernetes.io/pvc-protection'],
  })
  const volumes = async () => (await vmiOf('single')).status?.volumeStatus?.map(({ name }) => name)
  await expect.poll(volumes).toEqual([target])

  await remove(admin, PODS, { namespace, name: state.sourcePod ?? '' })
  await expect
    .poll(async () => (await claimsOf('single')).map(({ metadata }) => metadata.name))
    .toEqual([target])

  // And back again.
  const back = await move('single', 'back')
  expect(back.status).toMatchObject({
    phase: 'Succeeded',
    migrationState: { sourcePersistentStatePVCName: target },
  })
  await remove(admin, VMS, { namespace, name: 'single' })
  await expect.poll(() => claimsOf('single'), { timeout: 20_000 }).toEqual([])
}, 90_000)
