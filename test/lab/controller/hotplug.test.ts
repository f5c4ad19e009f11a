import { expect, test } from 'vitest'
import { patch } from '../../../src/cluster/objects.ts'
import { EVENTS, MIGRATIONS, PODS, PVCS, VMIS } from '../../../src/kubevirt/resources.ts'
import type { Event, Migration, Pod, Vmi } from '../../../src/kubevirt/types.ts'
import { startControlPlane } from './control-plane.ts'

test('a disk that is plugged in follows its VM through attachment pods', async () => {
  const plane = await startControlPlane()
  await plane.create(PVCS, {
    metadata: { name: 'disk-0' },
    spec: { accessModes: ['ReadWriteMany'], volumeMode: 'Block' },
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
  const told = (await plane.all<Event>(EVENTS)).map(({ message }) => message)
  expect(told).toContain(`Created attachment pod ${first.metadata.name}`)
})
