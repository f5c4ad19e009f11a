import { expect, test } from 'vitest'
import { create, getIfExists, patch, remove } from '../../../src/cluster/objects.ts'
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
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const namespace = 'demo'
const PERSISTENT = {
  domain: {
    cpu: { model: 'Haswell' },
    devices: {},
    firmware: { bootloader: { efi: { persistent: true, secureBoot: false } } },
  },
}

async function addClass(plane: ControlPlane, volumeBindingMode = 'Immediate'): Promise<void> {
  await create(plane.admin, STORAGE_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: {
      name: 'disks',
      annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
    },
    provisioner: 'example.com/disks',
    volumeBindingMode,
  })
}

/** Whether it can be shared is not known of the class, so that it is not. */
async function bind(plane: ControlPlane, name: string): Promise<void> {
  const status = { phase: 'Bound', accessModes: ['ReadWriteOnce'] }
  await patch(plane.admin, PVCS, { namespace, name, subresource: 'status' }, { status }, 'merge')
}

async function claimWith(plane: ControlPlane, label: string, value: string): Promise<VolumeClaim> {
  return plane.until(
    async () =>
      (await plane.all<VolumeClaim>(PVCS)).find(
        ({ metadata }) => metadata.labels?.[label] === value,
      ),
    `a claim with ${label}=${value}`,
  )
}

const condition = async (plane: ControlPlane, vmi: string) =>
  (await getIfExists<Vmi>(plane.admin, VMIS, { namespace, name: vmi }))?.status?.conditions?.find(
    ({ type }) => type === 'Synchronized',
  )

interface Moving {
  plane: ControlPlane
  source: string
  target: string
  targetPod: Pod
}

/** A VM with persistent EFI on node-1, whose migration `m` has come to Scheduling, with a claim of its own. */
async function moving(): Promise<Moving> {
  const plane = await startControlPlane()
  await addClass(plane)
  const bound = claimWith(plane, 'persistent-state-for', 'vm').then(async ({ metadata }) => {
    await bind(plane, metadata.name)
    return metadata.name
  })
  await plane.run('vm', 'node-1', PERSISTENT)
  const source = await bound
  await plane.create(MIGRATIONS, { metadata: { name: 'm' }, spec: { vmiName: 'vm' } })
  const target = (await claimWith(plane, 'kubevirt.io/migrationName', 'm')).metadata.name
  const targetPod = await plane.targetOf('m')
  await plane.until(async () => (await plane.phaseOf('m')) === 'Scheduling', 'Scheduling')
  return { plane, source, target, targetPod }
}

/** The target pod ends in the middle. */
async function interrupt({ plane, targetPod: { metadata } }: Moving): Promise<Job> {
  await plane.start({ metadata } as Pod, 'node-2')
  const status = { phase: 'Failed' }
  await patch(plane.admin, PODS, { ...metadata, subresource: 'status' }, { status }, 'strategic')
  return recoveryOf(plane)
}

const recoveryOf = (plane: ControlPlane, not?: string) =>
  plane.until(async () => {
    const job = await getIfExists<Job>(plane.admin, JOBS, { namespace, name: 'recover-m' })
    return job?.metadata.uid !== not && job
  }, 'the recovery Job')

async function endJob(plane: ControlPlane, type: string, reason: string): Promise<void> {
  const conditions = [{ type, status: 'True', reason, message: `the message of ${reason}` }]
  const at = { namespace, name: 'recover-m', subresource: 'status' }
  await patch(plane.admin, JOBS, at, { status: { conditions } }, 'merge')
}

const claims = async (plane: ControlPlane) =>
  Object.fromEntries(
    (await plane.all<VolumeClaim>(PVCS)).map(({ metadata }) => [metadata.name, metadata.labels]),
  )

test('a VMI waits for the claim of its state: for a class that it could be of, then for its volume', async () => {
  const plane = await startControlPlane()
  await plane.create(VMIS, { metadata: { name: 'vm' }, spec: PERSISTENT })
  await plane.until(
    async () => (await condition(plane, 'vm'))?.reason === 'FailedBackendStorageCreate',
    'the condition',
  )
  expect((await condition(plane, 'vm'))?.message).toBe('no default storage class found')

  await addClass(plane)
  const { metadata, spec } = await claimWith(plane, 'persistent-state-for', 'vm')
  expect(metadata.name).toMatch(/^persistent-state-for-vm-\w{5}$/)
  expect(spec).toMatchObject({ accessModes: ['ReadWriteOnce'], storageClassName: 'disks' })
  await plane.until(
    async () => (await condition(plane, 'vm'))?.reason === 'BackendStorageNotReady',
    'the condition',
  )
  expect(await condition(plane, 'vm')).toMatchObject({ status: 'False', message: 'PVC pending' })
  expect(await plane.all(PODS)).toEqual([])

  await bind(plane, metadata.name)
  const launcher = await plane.launcherOf('vm')
  expect(launcher.spec.volumes).toContainEqual({
    name: 'vm-state',
    persistentVolumeClaim: { claimName: metadata.name },
  })
  await plane.until(async () => !(await condition(plane, 'vm')), 'the condition to go')
})

test('a claim whose volume waits for its first consumer is no reason to wait', async () => {
  const plane = await startControlPlane()
  await addClass(plane, 'WaitForFirstConsumer')
  await plane.create(VMIS, { metadata: { name: 'vm' }, spec: PERSISTENT })
  const launcher = await plane.launcherOf('vm')
  const { metadata } = await claimWith(plane, 'persistent-state-for', 'vm')
  expect(claimsIn(launcher)).toEqual([metadata.name])
})

test('the target pod gets a claim of its own, and both are named by the migration', async () => {
  const { plane, source, target, targetPod } = await moving()
  expect(target).not.toBe(source)
  expect(claimsIn(targetPod)).toEqual([target])
  const { status } = await plane.get<Migration>(MIGRATIONS, 'm')
  expect(status?.migrationState).toMatchObject({
    sourcePersistentStatePVCName: source,
    targetPersistentStatePVCName: target,
  })
})

test('the claim for the target goes when the migration is cancelled, the source’s stays', async () => {
  const { plane, source } = await moving()
  await remove(plane.admin, MIGRATIONS, { namespace, name: 'm' })
  await plane.until(async () => Object.keys(await claims(plane)).length === 1, 'one claim')
  expect(await claims(plane)).toEqual({ [source]: { 'persistent-state-for': 'vm' } })
})

test('one that broke off has failed when the Job does not find the marker, and the target’s claim goes', async () => {
  const its = await moving()
  const { plane, source } = its
  const job = await interrupt(its)
  expect(job).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'VirtualMachineInstanceMigration', name: 'm' }] },
    spec: {
      activeDeadlineSeconds: 30,
      ttlSecondsAfterFinished: 30,
      template: { spec: { volumes: [{ persistentVolumeClaim: { claimName: source } }] } },
    },
  })
  // As long as it looks, nobody knows.
  expect(await plane.phaseOf('m')).not.toBe('Failed')
  expect(Object.keys(await claims(plane))).toHaveLength(2)
  await endJob(plane, 'Failed', 'PodFailurePolicy')
  await plane.until(async () => (await plane.phaseOf('m')) === 'Failed', 'Failed')
  expect(await claims(plane)).toEqual({ [source]: { 'persistent-state-for': 'vm' } })
})

test('one that broke off has succeeded when the guest had gone over: the target’s claim is the VM’s, and it is told as a failure all the same', async () => {
  const its = await moving()
  const { plane, target } = its
  await interrupt(its)
  await endJob(plane, 'Complete', 'CompletionsReached')
  await plane.until(async () => (await plane.phaseOf('m')) === 'Succeeded', 'Succeeded')
  expect(await claims(plane)).toEqual({ [target]: { 'persistent-state-for': 'vm' } })
  await expect
    .poll(() => plane.told('m'))
    .toContain('Migration failed because target pod shutdown during migration')
})

test('a Job that could not look is made anew', async () => {
  const its = await moving()
  const { plane } = its
  const { metadata } = await interrupt(its)
  await endJob(plane, 'Failed', 'DeadlineExceeded')
  await recoveryOf(plane, metadata.uid)
  expect(await plane.phaseOf('m')).not.toBe('Failed')
})

test('where the VMI is gone too, which claim counts is found out before the migration goes', async () => {
  const its = await moving()
  const { plane, target } = its
  // Not by a controller that waits for its pods.
  const at = { namespace, name: 'vm' }
  await patch(plane.controller, VMIS, at, { metadata: { finalizers: null } }, 'merge')
  await remove(plane.admin, VMIS, at, { propagationPolicy: 'Orphan' })
  await recoveryOf(plane)
  await endJob(plane, 'Complete', 'CompletionsReached')
  await plane.until(
    async () => !(await getIfExists(plane.admin, MIGRATIONS, { namespace, name: 'm' })),
    'the migration to go',
  )
  expect((await claims(plane))[target]).toEqual({ 'persistent-state-for': 'vm' })
})

test('a claim that has been handed over stays, however the migration ends', async () => {
  const { plane, target, targetPod } = await moving()
  await plane.start(targetPod, 'node-2')
  const slot = async () => (await plane.get<Vmi>(VMIS, 'vm')).status?.migrationState
  const { migrationUid } = await plane.until(async () => {
    const state = await slot()
    return state?.targetPersistentStatePVCName === target && state
  }, 'hand-off with both names')
  const handle = (state: object) =>
    plane.handle('node-2', 'vm', { migrationState: { migrationUid, ...state } })
  await handle({ targetNodeAddress: '10.0.0.2', startTimestamp: '2026-01-01T00:00:00Z' })
  await plane.until(async () => (await plane.phaseOf('m')) === 'Running', 'Running')
  await handle({ targetNodeDomainReadyTimestamp: '2026-01-01T00:00:10Z' })
  const own = { [target]: { 'persistent-state-for': 'vm' } }
  await expect.poll(() => claims(plane)).toEqual(own)
  await handle({ completed: true, failed: true, endTimestamp: '2026-01-01T00:00:11Z' })
  await plane.until(async () => (await plane.phaseOf('m')) === 'Failed', 'Failed')
  expect(await claims(plane)).toEqual(own)
})

test('EFI whose secure boot nobody turns off needs SMM, in a VM as in a VMI', async () => {
  const plane = await startControlPlane()
  const spec = { domain: { devices: {}, firmware: { bootloader: { efi: { persistent: true } } } } }
  const text = (webhook: string, path: string) =>
    `admission webhook "${webhook}.kubevirt.io" denied the request: ${path} has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.`
  await expect(plane.create(VMIS, { metadata: { name: 'vm' }, spec })).rejects.toThrow(
    text('virtualmachineinstances-create-validator', 'spec.domain'),
  )
  const vm = { runStrategy: 'Halted', template: { spec } }
  await expect(plane.create(VMS, { metadata: { name: 'vm' }, spec: vm })).rejects.toThrow(
    text('virtualmachine-validator', 'spec.template.spec.domain'),
  )
})
