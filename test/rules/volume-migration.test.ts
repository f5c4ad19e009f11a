import { describe, expect, test } from 'vitest'
import type { Vm, Vmi } from '../../src/kubevirt/types.ts'
import {
  isVolumeMigration,
  type VolumeUpdate,
  volumeUpdateOf,
  withVolumeUpdate,
} from '../../src/rules/volume-migration.ts'
import { condition, vmi } from './objects.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const volume = (claimName: string, name = 'root') => ({
  name,
  persistentVolumeClaim: { claimName },
})
const vm = (claims: string, strategy: string | undefined = 'Migration'): Vm => ({
  metadata: { name: 'vm-1' },
  spec: {
    ...(strategy ? { updateVolumesStrategy: strategy } : {}),
    template: { spec: { volumes: [volume(claims)] } },
  },
})
const disk = (more: object = {}) => ({
  domain: { devices: { disks: [{ name: 'root', ...more }] } },
  volumes: [volume('old')],
})
const running = (status: Vmi['status'] = {}, spec: object = disk()) => vmi({ status, spec })
const claims = (name: string) =>
  name === 'absent' ? undefined : { spec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Block' } }
const update = (of: Vm, its = running()) => volumeUpdateOf(of, its, claims)

const INFO = { accessModes: ['ReadWriteOnce'], volumeMode: 'Block' }
const MIGRATED = {
  volumeName: 'root',
  sourcePVCInfo: { claimName: 'old', ...INFO },
  destinationPVCInfo: { claimName: 'new', ...INFO },
}

describe('another claim for a volume of a running VM', () => {
  test('is filled by a migration, where that is wanted', () => {
    const expected: VolumeUpdate = { kind: 'begin', migrated: [MIGRATED], volumes: [volume('new')] }
    expect(update(vm('new'))).toEqual(expected)
    expect(update(vm('old'))).toEqual({ kind: 'nothing' })
    expect(update(vm('new', 'Replacement'))).toEqual({ kind: 'nothing' })
  })

  test.each<[string, Vmi]>([
    [
      'invalid volumes to update with migration: shareable: [root]',
      running({}, disk({ shareable: true })),
    ],
    ['invalid volumes to update with migration: luns: [root]', running({}, disk({ lun: {} }))],
    [
      "cannot migrate the volumes as the VMI isn't migratable: because",
      running({
        conditions: [condition('StorageLiveMigratable', 'False', 'NotMigratable', 'because')],
      }),
    ],
    [
      'cannot migrate the VM. The volume data is RWO and not included in the migration volumes',
      running({
        volumeStatus: [
          { name: 'data', persistentVolumeClaimInfo: { accessModes: ['ReadWriteOnce'] } },
        ],
      }),
    ],
  ])('waits for a restart: %s', (message, its) => {
    expect(update(vm('new'), its)).toMatchObject({ kind: 'restart', condition: { message } })
  })

  test('has to exist', () => {
    const missing = update(vm('absent'))
    const message = "One of the destination volumes doesn't exist: the pvc absent doesn't exist"
    expect(missing).toEqual({ kind: 'missing', message })
    const told = missing.kind === 'missing' ? withVolumeUpdate(running(), missing, NOW) : undefined
    expect(told?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'VolumesChange', status: 'False', message }),
    )
  })

  test('can be taken back while it is filled, and only that', () => {
    const status = {
      conditions: [condition('VolumesChange', 'True')],
      migratedVolumes: [MIGRATED],
    }
    const moving = running(status, { ...disk(), volumes: [volume('new')] })
    const back = update(vm('old'), moving)
    expect(back).toEqual({ kind: 'cancel', volumes: [volume('old')] })
    const canceled = back.kind === 'cancel' ? withVolumeUpdate(moving, back, NOW) : undefined
    expect(canceled?.spec.volumes).toEqual([volume('old')])
    expect(canceled?.status).toMatchObject({
      migratedVolumes: [],
      conditions: [{ type: 'VolumesChange', status: 'False', reason: 'VolumesChangeCancellation' }],
    })
    expect(update(vm('third'), moving)).toMatchObject({ kind: 'refused' })
  })
})

test('a VM whose disks are not shared may move if all of them are copied', () => {
  const volumeStatus = [
    { name: 'root', persistentVolumeClaimInfo: { accessModes: ['ReadWriteOnce'] } },
  ]
  expect(isVolumeMigration(running({ volumeStatus, migratedVolumes: [MIGRATED] }))).toBe(true)
  expect(isVolumeMigration(running({ volumeStatus }))).toBe(false)
})
