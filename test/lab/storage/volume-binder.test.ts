import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { connect } from '../../../src/cluster/config.ts'
import { create, get, getIfExists, list, patch, remove } from '../../../src/cluster/objects.ts'
import {
  EVENTS,
  NAMESPACES,
  PERSISTENT_VOLUMES,
  PODS,
  PVCS,
  STORAGE_PROFILES,
} from '../../../src/kubevirt/resources.ts'
import type { Event, KubeObject } from '../../../src/kubevirt/types.ts'
import { startApiServer } from '../../../src/lab/api/server.ts'
import { seedStorage } from '../../../src/lab/storage/classes.ts'
import { startVolumeBinder } from '../../../src/lab/storage/volume-binder.ts'
import type { Volume, VolumeClaim } from '../../../src/rules/volume-binding.ts'

const namespace = 'demo'

async function storage() {
  const server = await startApiServer({ clock: systemClock })
  onTestFinished(() => server.close())
  const cluster = await connect({ kubeconfigText: server.kubeconfig('admin'), env: {} })
  onTestFinished(() => cluster.close())
  await create(cluster, NAMESPACES, { metadata: { name: namespace } })
  await seedStorage(cluster)
  const binder = await startVolumeBinder({ cluster, clock: systemClock, log() {} })
  onTestFinished(() => binder.close())
  return {
    cluster,
    claim: (name: string) => get<VolumeClaim>(cluster, PVCS, { namespace, name }),
    ask: (name: string, spec: object = {}) =>
      create<VolumeClaim>(
        cluster,
        PVCS,
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name },
          spec: {
            accessModes: ['ReadWriteMany'],
            resources: { requests: { storage: '1Gi' } },
            ...spec,
          },
        },
        { namespace },
      ),
    mount: (name: string) =>
      create(
        cluster,
        PODS,
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'launcher' },
          spec: {
            containers: [{ name: 'c', image: 'i' }],
            volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }],
            nodeName: 'node-1',
          },
        },
        { namespace },
      ),
    reasons: async (name: string) =>
      (await list<Event>(cluster, EVENTS, { namespace })).items
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ reason, source }) => `${reason} ${source?.component?.split('_')[0]}`),
  }
}

test('a claim of the default class gets a volume of its own, as a provisioner tells it', async () => {
  const { cluster, claim, ask, reasons } = await storage()
  const { uid } = (await ask('data', { volumeMode: 'Block' })).metadata
  await expect.poll(async () => (await claim('data')).status?.phase).toBe('Bound')
  expect(await claim('data')).toMatchObject({
    metadata: {
      annotations: {
        'pv.kubernetes.io/bind-completed': 'yes',
        'pv.kubernetes.io/bound-by-controller': 'yes',
        'volume.kubernetes.io/storage-provisioner': 'volumes.lab.kubectl-mig.io',
      },
      finalizers: ['kubernetes.io/pvc-protection'],
    },
    spec: { storageClassName: 'lab-storage', volumeName: `pvc-${uid}` },
    status: { accessModes: ['ReadWriteMany'], capacity: { storage: '1Gi' } },
  })
  expect(await get<Volume>(cluster, PERSISTENT_VOLUMES, { name: `pvc-${uid}` })).toMatchObject({
    metadata: { annotations: { 'pv.kubernetes.io/provisioned-by': 'volumes.lab.kubectl-mig.io' } },
    spec: {
      claimRef: { namespace, name: 'data', uid },
      persistentVolumeReclaimPolicy: 'Delete',
      volumeMode: 'Block',
    },
    status: { phase: 'Bound' },
  })
  await expect
    .poll(() => reasons('data'))
    .toEqual([
      'ExternalProvisioning persistentvolume-controller',
      'Provisioning volumes.lab.kubectl-mig.io',
      'ProvisioningSucceeded volumes.lab.kubectl-mig.io',
    ])
  const profile = await get<KubeObject>(cluster, STORAGE_PROFILES, { name: 'lab-storage' })
  expect(profile).toMatchObject({
    status: {
      storageClass: 'lab-storage',
      claimPropertySets: expect.arrayContaining([
        { accessModes: ['ReadWriteMany'], volumeMode: 'Block' },
      ]),
    },
  })
})

test('one that waits for its consumer is bound for the node of its first pod', async () => {
  const { claim, ask, mount, reasons } = await storage()
  await ask('late', { storageClassName: 'lab-storage-wffc' })
  await expect
    .poll(() => reasons('late'))
    .toEqual(['WaitForFirstConsumer persistentvolume-controller'])
  expect((await claim('late')).status?.phase).toBe('Pending')
  await mount('late')
  await expect.poll(async () => (await claim('late')).status?.phase).toBe('Bound')
  expect((await claim('late')).metadata.annotations).toMatchObject({
    'volume.kubernetes.io/selected-node': 'node-1',
  })
})

test('a claim stays while a pod mounts it, and the volume that was made for it goes with it', async () => {
  const { cluster, claim, ask, mount } = await storage()
  const { uid } = (await ask('data')).metadata
  await mount('data')
  await expect.poll(async () => (await claim('data')).status?.phase).toBe('Bound')
  await remove(cluster, PVCS, { namespace, name: 'data' })
  expect((await claim('data')).metadata.deletionTimestamp).toBeDefined()
  await remove(cluster, PODS, { namespace, name: 'launcher' }, { gracePeriodSeconds: 0 })
  await expect.poll(() => getIfExists(cluster, PVCS, { namespace, name: 'data' })).toBeUndefined()
  await expect
    .poll(() => getIfExists(cluster, PERSISTENT_VOLUMES, { name: `pvc-${uid}` }))
    .toBeUndefined()
})

test('a claim stays even for a pod that has ended, as long as its object is there', async () => {
  const { cluster, claim, ask, mount } = await storage()
  await ask('data')
  await mount('data')
  await expect.poll(async () => (await claim('data')).status?.phase).toBe('Bound')
  const pod = { namespace, name: 'launcher' }
  const ended = { status: { phase: 'Succeeded' } }
  await patch(cluster, PODS, { ...pod, subresource: 'status' }, ended, 'strategic')
  await remove(cluster, PVCS, { namespace, name: 'data' })
  // Time for it to go, were it not held: another one comes and goes meanwhile.
  await ask('other')
  await expect.poll(async () => (await claim('other')).status?.phase).toBe('Bound')
  await remove(cluster, PVCS, { namespace, name: 'other' })
  await expect.poll(() => getIfExists(cluster, PVCS, { namespace, name: 'other' })).toBeUndefined()
  expect((await claim('data')).metadata.finalizers).toEqual(['kubernetes.io/pvc-protection'])
  await remove(cluster, PODS, pod, { gracePeriodSeconds: 0 })
  await expect.poll(() => getIfExists(cluster, PVCS, { namespace, name: 'data' })).toBeUndefined()
})

test('a volume that somebody made is taken by the claim that it fits, and kept when that goes', async () => {
  const { cluster, claim, ask } = await storage()
  const volume = () => get<Volume>(cluster, PERSISTENT_VOLUMES, { name: 'by-hand' })
  await create(cluster, PERSISTENT_VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'by-hand' },
    spec: {
      accessModes: ['ReadWriteMany'],
      capacity: { storage: '5Gi' },
      nfs: { server: 'nfs', path: '/' },
    },
  })
  await expect.poll(async () => (await volume()).status?.phase).toBe('Available')
  await ask('static', { storageClassName: '' })
  await expect.poll(async () => (await claim('static')).status?.phase).toBe('Bound')
  expect(await claim('static')).toMatchObject({
    spec: { volumeName: 'by-hand' },
    status: { capacity: { storage: '5Gi' } },
  })
  await remove(cluster, PVCS, { namespace, name: 'static' })
  await expect.poll(async () => (await volume()).status?.phase).toBe('Released')
})

test('a class of another provisioner is asked for in vain, and one that comes later serves who waits', async () => {
  const { cluster, claim, ask, reasons } = await storage()
  const classOf = (name: string, provisioner: string) => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner,
  })
  const classes = { path: '/apis/storage.k8s.io/v1/storageclasses', method: 'POST' } as const
  await cluster.request({ ...classes, body: classOf('theirs', 'example.com/disks') })
  await ask('theirs', { storageClassName: 'theirs' })
  await expect
    .poll(() => reasons('theirs'))
    .toEqual(['ExternalProvisioning persistentvolume-controller'])
  await ask('early', { storageClassName: 'soon' })
  await expect
    .poll(() => reasons('early'))
    .toEqual(['ProvisioningFailed persistentvolume-controller'])
  await cluster.request({ ...classes, body: classOf('soon', 'volumes.lab.kubectl-mig.io') })
  await expect.poll(async () => (await claim('early')).status?.phase).toBe('Bound')
  expect((await claim('theirs')).status?.phase).toBe('Pending')
})
