import { expect, test } from 'vitest'
import { hasPersistentState, stateClaimNameIn } from '../../src/kubevirt/backend-storage.ts'
import type { KubeVirt, Migration, Vmi } from '../../src/kubevirt/types.ts'
import {
  isHandedOver,
  newStateClaim,
  type StateStorage,
  stateReadiness,
  targetStateClaim,
} from '../../src/rules/backend-storage.ts'
import type { StorageClass, VolumeClaim } from '../../src/rules/volume-binding.ts'

const vmi = (domain: Vmi['spec']['domain'] = {}, status: Vmi['status'] = {}): Vmi => ({
  metadata: { name: 'vm', namespace: 'demo', uid: 'uid-vm' },
  spec: { domain },
  status,
})

test.each([
  [{}, false],
  [{ devices: { tpm: {} } }, false],
  [{ devices: { tpm: { persistent: true } } }, true],
  [{ firmware: { bootloader: { efi: { persistent: true } } } }, true],
  [{ firmware: { bootloader: { efi: { secureBoot: true } }, persistent: true } }, false],
  // Not every field of that name.
  [{ devices: { disks: [{ name: 'd', persistent: true }] } }, false],
])('%j keeps state: %s', (domain, keeps) => {
  expect(hasPersistentState(vmi(domain))).toBe(keeps)
})

const classNamed = (name: string, annotations = {}): StorageClass => ({
  metadata: { name, annotations },
})
const KUBERNETES_DEFAULT = { 'storageclass.kubernetes.io/is-default-class': 'true' }
const VIRT_DEFAULT = { 'storageclass.kubevirt.io/is-default-virt-class': 'true' }
const configured = (vmStateStorageClass: string): KubeVirt => ({
  metadata: { name: 'kubevirt' },
  spec: { configuration: { vmStateStorageClass } },
})

function made(storage: Partial<StateStorage>) {
  const claim = newStateClaim(vmi(), { kubevirt: undefined, classes: [], profiles: [], ...storage })
  if (!claim.ok) return claim.error
  const { storageClassName, accessModes } = claim.claim.spec
  return `${storageClassName} ${accessModes?.join()}`
}

test('the class is the configured one, that for VMs, or the cluster’s; without any there is no claim', () => {
  const classes = [classNamed('a', KUBERNETES_DEFAULT), classNamed('b', VIRT_DEFAULT)]
  expect(made({ classes, kubevirt: configured('c') })).toBe('c ReadWriteMany')
  expect(made({ classes })).toBe('b ReadWriteOnce')
  expect(made({ classes: classes.slice(0, 1) })).toBe('a ReadWriteOnce')
  expect(made({ classes: [classNamed('a')] })).toBe('no default storage class found')
})

test('the claim is shared if the class’s profile says that file systems can be', () => {
  const classes = [classNamed('a', KUBERNETES_DEFAULT)]
  const profile = (...claimPropertySets: object[]) => [
    { metadata: { name: 'a' }, status: { claimPropertySets } },
  ]
  const set = (volumeMode: string, ...accessModes: string[]) => ({ volumeMode, accessModes })
  const once = set('Filesystem', 'ReadWriteOnce')
  const profiles = profile(once, set('Filesystem', 'ReadWriteMany'))
  expect(made({ classes, profiles })).toBe('a ReadWriteMany')
  const onlyBlocks = profile(set('Block', 'ReadWriteMany'), once)
  expect(made({ classes, profiles: onlyBlocks })).toBe('a ReadWriteOnce')
  expect(made({ kubevirt: configured('a'), profiles: onlyBlocks })).toBe('a ReadWriteOnce')
})

test('a claim belongs to the VM, or to the VMI that has none', () => {
  const storage = { kubevirt: configured('a'), classes: [], profiles: [] }
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'vm', uid: 'uid' }
  const owned = { ...vmi(), metadata: { ...vmi().metadata, ownerReferences: [owner] } }
  expect(newStateClaim(owned, storage)).toMatchObject({
    claim: { metadata: { generateName: 'persistent-state-for-vm-', ownerReferences: [owner] } },
  })
  expect(newStateClaim(vmi(), storage)).toMatchObject({
    claim: { metadata: { ownerReferences: [{ kind: 'VirtualMachineInstance', uid: 'uid-vm' }] } },
  })
})

test.each<[string, VolumeClaim['status'], ReturnType<typeof stateReadiness>]>([
  ['now', { phase: 'Bound' }, 'ready'],
  ['now', { phase: 'Pending' }, 'pending'],
  ['later', { phase: 'Pending' }, 'ready'],
  ['gone', { phase: 'Pending' }, { error: 'storage class gone not found' }],
  ['now', { phase: 'Lost' }, { error: 'backend storage PVC lost' }],
  ['now', {}, 'pending'],
])('a claim of class %s in %j is %j', (storageClassName, status, readiness) => {
  const classes: StorageClass[] = [
    { ...classNamed('now'), volumeBindingMode: 'Immediate' },
    { ...classNamed('later'), volumeBindingMode: 'WaitForFirstConsumer' },
  ]
  const claim = { metadata: { name: 'c' }, spec: { storageClassName }, status }
  expect(stateReadiness(claim as VolumeClaim, classes)).toEqual(readiness)
})

const migration: Migration = {
  metadata: { name: 'm', namespace: 'demo' },
  spec: { vmiName: 'vm' },
}
const claimNamed = (
  name: string,
  labels: Record<string, string>,
  status: VolumeClaim['status'] = {},
): VolumeClaim => ({ metadata: { name, namespace: 'demo', labels }, spec: {}, status })
const STATE = 'persistent-state-for-vm-aaaaa'
const running = vmi({}, { volumeStatus: [{ name: 'disk' }, { name: STATE }] })
const storage = { kubevirt: configured('a'), classes: [], profiles: [] }
const own = claimNamed(STATE, { 'persistent-state-for': 'vm' })

test('a migration uses a claim that is shared, one that was made for it, or has one made', () => {
  const shared = { ...own, status: { accessModes: ['ReadWriteMany'] } }
  expect(targetStateClaim(running, migration, [shared], storage)).toMatchObject({
    kind: 'existing',
    source: STATE,
    target: { metadata: { name: STATE } },
  })
  expect(targetStateClaim(running, migration, [own], storage)).toMatchObject({
    kind: 'create',
    source: STATE,
    claim: { metadata: { labels: { 'kubevirt.io/migrationName': 'm' } } },
  })
  const second = claimNamed('second', { 'kubevirt.io/migrationName': 'm' })
  expect(targetStateClaim(running, migration, [own, second], storage)).toMatchObject({
    kind: 'existing',
    target: { metadata: { name: 'second' } },
  })
})

test('KubeVirt goes by the VMI’s own status: without a claim in it, it does not begin', () => {
  expect(stateClaimNameIn(running)).toBe(STATE)
  expect(targetStateClaim(vmi(), migration, [own], storage)).toEqual({
    kind: 'error',
    error: 'no backend-storage PVC found in VMI volume status',
  })
})

test('a claim is handed over when it is the VM’s and no migration’s any more', () => {
  const labels = { 'kubevirt.io/migrationName': 'm' }
  expect(isHandedOver(claimNamed('c', labels), migration)).toBe(false)
  expect(isHandedOver(own, migration)).toBe(true)
})
