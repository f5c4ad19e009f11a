import { expect, test } from 'vitest'
import { create } from '../../../src/cluster/objects.ts'
import { EVENTS, MIGRATIONS, VMIS } from '../../../src/kubevirt/resources.ts'
import type { Event, Migration, Vmi } from '../../../src/kubevirt/types.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'

const conditionsOf = async (plane: ControlPlane, name: string) =>
  ((await plane.get<Migration>(MIGRATIONS, name)).status?.conditions ?? []).map(
    ({ type, reason, message }) => `${type} ${reason}: ${message}`,
  )

async function backedUp(backupStatus: object = {}): Promise<ControlPlane> {
  const plane = await startControlPlane()
  await plane.run('vm-1', 'node-1')
  await backup(plane, backupStatus)
  return plane
}

const backup = (plane: ControlPlane, status: object) =>
  plane.handle('node-1', 'vm-1', {
    changedBlockTracking: { state: 'Enabled', backupStatus: { backupName: 'nightly', ...status } },
  })

test('a migration waits for a backup, and goes on when that has ended', async () => {
  const plane = await backedUp()
  await plane.create<Migration>(MIGRATIONS, { metadata: { name: 'm' }, spec: { vmiName: 'vm-1' } })
  await plane.until(async () => (await conditionsOf(plane, 'm')).length > 0, 'm to be blocked')
  expect(await conditionsOf(plane, 'm')).toEqual([
    'migrationBlockedByBackup BackupInProgress: Waiting for backup nightly to complete',
  ])
  await plane.targetOf('m')
  expect(await plane.phaseOf('m')).toBe('Pending')
  await backup(plane, { completed: true })
  await plane.until(async () => (await plane.phaseOf('m')) === 'Scheduling', 'm to go on')
  expect(await conditionsOf(plane, 'm')).toEqual([])
})

test('one that is system-critical ends the backup, once, and says so', async () => {
  const plane = await backedUp()
  await create(
    plane.controller,
    MIGRATIONS,
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { name: 'urgent' },
      spec: { vmiName: 'vm-1', priority: 'system-critical' },
    },
    { namespace: 'demo' },
  )
  await plane.until(async () => (await plane.phaseOf('urgent')) === 'Scheduling', 'it to go on')
  const { status } = await plane.get<Vmi>(VMIS, 'vm-1')
  expect(status?.['changedBlockTracking']).toMatchObject({
    state: 'Enabled',
    backupStatus: { backupName: 'nightly', completed: true, failed: true },
  })
  const aborted = async () =>
    (await plane.all<Event>(EVENTS)).filter(({ reason }) => reason === 'BackupAbortedForMigration')
  await plane.until(async () => (await aborted()).length > 0, 'the event')
  expect(await aborted()).toMatchObject([
    {
      type: 'Normal',
      message: 'Aborting backup nightly for system-critical migration',
      involvedObject: { name: 'urgent' },
      count: 1,
    },
  ])
  expect(await conditionsOf(plane, 'urgent')).toEqual([])
})
