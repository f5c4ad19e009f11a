import { expect, test } from 'vitest'
import { create, getIfExists } from '../../../src/cluster/objects.ts'
import { conditionOf } from '../../../src/kubevirt/migration.ts'
import { PVCS, VMIS, VMS } from '../../../src/kubevirt/resources.ts'
import type { Vmi } from '../../../src/kubevirt/types.ts'
import { runningLab } from '../running.ts'

const namespace = 'default'

const { admin } = await runningLab({
  name: 'storage',
})

/** A VM with one disk, on a claim of its own; as soon as it is known whether it can move. */
async function vmOn(name: string, accessMode: string, storageClassName?: string): Promise<Vmi> {
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: {
      accessModes: [accessMode],
      ...(storageClassName && { storageClassName }),
      resources: { requests: { storage: '1Gi' } },
    },
  }
  const spec = {
    terminationGracePeriodSeconds: 0,
    domain: {
      memory: { guest: '16Mi' },
      devices: { disks: [{ name: 'data', disk: { bus: 'virtio' } }] },
    },
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
  }
  const vm = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name },
    spec: { runStrategy: 'Always', template: { spec } },
  }
  await create(admin, PVCS, claim, { namespace })
  await create(admin, VMS, vm, { namespace })
  const now = () => getIfExists<Vmi>(admin, VMIS, { namespace, name })
  await expect
    .poll(
      async () => {
        const vmi = await now()
        const [volume] = vmi?.status?.volumeStatus ?? []
        const isBound = Object.hasOwn(volume?.persistentVolumeClaimInfo ?? {}, 'capacity')
        return isBound && vmi !== undefined && conditionOf(vmi, 'LiveMigratable') !== undefined
      },
      { timeout: 30_000 },
    )
    .toBe(true)
  return (await now())!
}

test('a VM on a shared volume can move, one on a volume for one node cannot, but its storage can be moved', async () => {
  const shared = await vmOn('shared', 'ReadWriteMany')
  expect(conditionOf(shared, 'LiveMigratable')).toMatchObject({ status: 'True' })
  const single = await vmOn('single', 'ReadWriteOnce', 'lab-storage-wffc')
  expect(conditionOf(single, 'LiveMigratable')).toMatchObject({
    status: 'False',
    reason: 'DisksNotLiveMigratable',
    message:
      'cannot migrate VMI: PVC single is not shared, live migration requires that all PVCs must be shared (using ReadWriteMany access mode)',
  })
  expect(conditionOf(single, 'StorageLiveMigratable')).toMatchObject({ status: 'True' })
}, 90_000)

test('the table of storage classes says which one is the default', async () => {
  const table = await admin.request<{ rows: { cells: unknown[] }[] }>({
    path: '/apis/storage.k8s.io/v1/storageclasses',
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  })
  expect(table.rows.map(({ cells }) => cells.slice(0, 4))).toEqual([
    ['lab-storage (default)', 'volumes.lab.kubectl-mig.io', 'Delete', 'Immediate'],
    ['lab-storage-wffc', 'volumes.lab.kubectl-mig.io', 'Delete', 'WaitForFirstConsumer'],
  ])
})
