import { describe, expect, test } from 'vitest'
import { pendingBlock } from '../../src/rules/pending-block.ts'
import { migration, vmi } from './objects.ts'

const NOW = Date.parse('2026-01-01T00:01:00Z')
const created = { creationTimestamp: '2026-01-01T00:00:00Z' }
const plugged = vmi({ spec: { utilityVolumes: [{ name: 'u' }] } })
const backup = (status: object) =>
  vmi({ status: { changedBlockTracking: { backupStatus: { backupName: 'b', ...status } } } })

describe('what keeps a migration in Pending', () => {
  test('utility volumes, for 150 s from its creation', () => {
    const its = migration('m', { metadata: created })
    expect(pendingBlock(its, plugged, undefined, NOW)).toEqual({
      by: 'utility-volumes',
      remaining: 90_000,
      expired: false,
      message: 'Migration is waiting for utility volumes to detach. Will timeout in 90 seconds.',
    })
    expect(pendingBlock(its, plugged, undefined, NOW + 90_000)).toMatchObject({
      expired: true,
      message:
        'Migration timeout waiting for utility volumes to detach from VMI [demo/vm-1]. Utility volumes still present after 150 seconds.',
    })
  })

  test('as long as the cluster or the migration says', () => {
    const cluster = {
      metadata: { name: 'k' },
      spec: { configuration: { migrations: { utilityVolumesTimeout: 70 } } },
    }
    const its = (timeout?: string) =>
      migration('m', {
        metadata: {
          ...created,
          ...(timeout
            ? { annotations: { 'kubevirt.io/migrationUtilityVolumesTimeoutSeconds': timeout } }
            : {}),
        },
      })
    const remaining = (timeout?: string) => {
      const block = pendingBlock(its(timeout), plugged, cluster, NOW)
      return block?.by === 'utility-volumes' && block.remaining
    }
    expect([remaining(), remaining('65'), remaining('soon')]).toEqual([10_000, 5000, 10_000])
  })

  test('a backup that runs', () => {
    expect(pendingBlock(migration('m'), backup({}), undefined, NOW)).toEqual({
      by: 'backup',
      backup: 'b',
      abort: false,
      message: 'Waiting for backup b to complete',
    })
    const urgent = migration('m', { priority: 'system-critical' })
    expect(pendingBlock(urgent, backup({}), undefined, NOW)).toMatchObject({
      abort: true,
      message: 'Aborting backup b for system-critical migration',
    })
    expect(pendingBlock(urgent, backup({ completed: true }), undefined, NOW)).toBeUndefined()
  })

  test('nothing else', () => {
    expect(pendingBlock(migration('m'), vmi(), undefined, NOW)).toBeUndefined()
  })
})
