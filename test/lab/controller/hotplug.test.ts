import { expect, test } from 'vitest'
import { patch } from '../../../src/cluster/objects.ts'
import { MIGRATIONS, PODS, PVCS, VMIS, VMS } from '../../../src/kubevirt/resources.ts'
import type { Migration, Pod, Vmi } from '../../../src/kubevirt/types.ts'
import { startControlPlane } from './control-plane.ts'

const CLAIM = { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } }

test('a disk that is plugged in follows its VM through attachment pods', async () => {
  const plane = await startControlPlane()
  await plane.create(PVCS, {
    metadata: { name: 'disk-0' },
    spec: { ...CLAIM, volumeMode: 'Block' },
  })
  await plane.run('vm-1', 'node-1')
  const volume = {
    name: 'extra',
    persistentVolumeClaim: { claimName: 'disk-0', hotpluggable: true },
  }
  const at = { namespace: 'demo', name: 'vm-1' }
  await patch(plane.controller, VMIS, at, { spec: { volumes: [volume] } }, 'merge')

  const attachments = async () =>
    (await plane.all<Pod>(PODS)).filter(
      ({ metadata }) => metadata.labels?.['kubevirt.io'] === 'hotplug-disk',
    )
  const first = await plane.until(async () => (await attachments())[0], 'an attachment pod')
  expect(first.spec.affinity).toEqual({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'kubernetes.io/hostname', operator: 'In', values: ['node-1'] },
            ],
          },
        ],
      },
    },
  })
  await plane.start(first, 'node-1')
  const statusOf = async () => (await plane.get<Vmi>(VMIS, 'vm-1')).status?.volumeStatus?.[0]
  const status = await plane.until(async () => {
    const found = await statusOf()
    return found?.['phase'] === 'AttachedToNode' ? found : undefined
  }, 'the volume to be attached')
  expect(status).toMatchObject({
    name: 'extra',
    hotplugVolume: { attachPodName: first.metadata.name },
    persistentVolumeClaimInfo: { claimName: 'disk-0', accessModes: ['ReadWriteMany'] },
  })

  await plane.create(MIGRATIONS, { metadata: { name: 'm' }, spec: { vmiName: 'vm-1' } })
  const target = await plane.until(
    async () =>
      (await plane.all<Pod>(PODS)).find(
        ({ metadata }) =>
          metadata.labels?.['kubevirt.io'] === 'virt-launcher' &&
          metadata.annotations?.['kubevirt.io/migrationJobName'] === 'm',
      ),
    'a target pod',
  )
  await plane.start(target, 'node-2')
  const second = await plane.until(
    async () => (await attachments()).find(({ metadata }) => metadata.uid !== first.metadata.uid),
    'a second attachment pod',
  )
  const phase = async () => (await plane.get<Migration>(MIGRATIONS, 'm')).status?.phase
  // It waits for the disk, not for the launcher alone.
  expect(await phase()).toBe('Pending')
  await plane.start(second, 'node-2')
  await plane.until(async () => (await phase()) === 'PreparingTarget', 'hand-off')
  const state = (await plane.get<Vmi>(VMIS, 'vm-1')).status?.migrationState
  expect(state?.targetAttachmentPodUID).toBe(second.metadata.uid)
  expect(await plane.told('vm-1')).toContain(`Created attachment pod ${first.metadata.name}`)
  expect(await plane.told('vm-1')).toContain(
    `Created hotplug attachment pod ${first.metadata.name}, for volume extra`,
  )
  expect(await plane.told('m')).toContain(`Created attachment pod ${second.metadata.name}`)
})

test('a disk that is taken out takes its attachment pod along', async () => {
  const plane = await startControlPlane()
  await plane.create(PVCS, { metadata: { name: 'disk-0' }, spec: CLAIM })
  await plane.run('vm-1', 'node-1')
  const at = { namespace: 'demo', name: 'vm-1' }
  const plug = (names: string[]) =>
    patch(
      plane.controller,
      VMIS,
      at,
      {
        spec: {
          volumes: names.map((name) => ({
            name,
            persistentVolumeClaim: { claimName: name, hotpluggable: true },
          })),
        },
      },
      'merge',
    )
  const attachment = async () =>
    (await plane.all<Pod>(PODS)).find(
      ({ metadata }) => metadata.labels?.['kubevirt.io'] === 'hotplug-disk',
    )
  // Nothing is attached as long as one of the claims is not there.
  await plug(['disk-0', 'disk-1'])
  await plane.until(
    async () => (await plane.get<Vmi>(VMIS, 'vm-1')).status?.volumeStatus?.length === 2,
    'both volumes to be told of',
  )
  expect((await plane.get<Vmi>(VMIS, 'vm-1')).status?.volumeStatus?.[1]).toMatchObject({
    phase: 'Pending',
    message: 'PVC disk-1 not found',
  })
  expect(await plane.told('vm-1')).toContain(
    'PVC demo/disk-1 does not exist, waiting for it to appear',
  )
  expect(await attachment()).toBeUndefined()

  await plug(['disk-0'])
  const pod = await plane.until(attachment, 'an attachment pod')
  await plug([])
  const name = pod.metadata.name
  await plane.until(async () => !(await attachment()), 'the attachment pod to be gone')
  await plane.until(
    async () => (await plane.told('vm-1')).includes(`Deleted attachment pod ${name}`),
    'its deletion to be told',
  )
  await plane.until(
    async () => (await plane.get<Vmi>(VMIS, 'vm-1')).status?.volumeStatus?.length === 0,
    'no volume to be told of',
  )
})

test('virt-api plugs volumes into a VM and its VMI, and takes them out', async () => {
  const plane = await startControlPlane()
  for (const name of ['disk-0', 'disk-1'])
    await plane.create(PVCS, { metadata: { name }, spec: CLAIM })
  const spec = { domain: { cpu: { model: 'Haswell' }, devices: {} } }
  await plane.create(VMS, {
    metadata: { name: 'vm-1' },
    spec: { runStrategy: 'Always', template: { spec } },
  })
  const ask = (plural: string, action: string, body: object) =>
    plane.admin.request({
      method: 'PUT',
      path: `/apis/subresources.kubevirt.io/v1/namespaces/demo/${plural}/vm-1/${action}`,
      body,
      accept: 'application/json, */*',
    })
  const add = (plural: string, name: string) =>
    ask(plural, 'addvolume', {
      name,
      disk: { disk: { bus: 'scsi' } },
      volumeSource: { persistentVolumeClaim: { claimName: name } },
    })
  const launcher = await plane.launcherOf('vm-1')
  await expect(add('virtualmachineinstances', 'disk-0')).rejects.toThrow('VMI is not running')
  await plane.start(launcher, 'node-1')
  const vmi = () => plane.get<Vmi>(VMIS, 'vm-1')
  await plane.until(async () => (await vmi()).status?.phase === 'Scheduled', 'Scheduled')
  await plane.handle('node-1', 'vm-1', { phase: 'Running' })

  const held = async () =>
    (await plane.all<Pod>(PODS))
      .filter(({ metadata }) => metadata.labels?.['kubevirt.io'] === 'hotplug-disk')
      .map(({ spec: { volumes = [] } }) => volumes.map(({ name }) => name).slice(1))
  const holds = (wanted: string[][], what: string) =>
    plane.until(async () => JSON.stringify(await held()) === JSON.stringify(wanted), what)
  await add('virtualmachines', 'disk-0')
  await holds([['disk-0']], 'the first volume')
  await add('virtualmachineinstances', 'disk-1')
  await expect(add('virtualmachineinstances', 'disk-1')).rejects.toThrow('already exists')
  expect((await vmi()).metadata.annotations?.['kubevirt.io/ephemeral-hotplug-volumes']).toBe(
    '["disk-1"]',
  )
  await plane.until(async () => (await vmi()).spec.volumes?.length === 2, 'both volumes')
  await ask('virtualmachines', 'removevolume', { name: 'disk-0' })
  await plane.until(async () => (await vmi()).spec.volumes?.length === 1, 'one volume')
  await ask('virtualmachineinstances', 'removevolume', { name: 'disk-1' })
  await holds([], 'no volume')
})
