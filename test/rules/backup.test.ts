import { expect, test } from 'vitest'
import { backupRequest, runningBackup } from '../../src/rules/backup.ts'
import { vmi } from './objects.ts'

const NOW = Date.parse('2026-01-01T00:01:00Z')
const backed = (status: object = {}, phase = 'Running') =>
  vmi({
    status: {
      phase,
      changedBlockTracking: { state: 'Enabled', backupStatus: { backupName: 'b', ...status } },
    },
  })

test('a backup that is aborted is completed and failed, and no longer under way', () => {
  const asked = backupRequest(backed(), { cmd: 'Abort', backupName: 'b' }, NOW)
  expect(asked).toMatchObject({
    ok: true,
    status: {
      phase: 'Running',
      changedBlockTracking: {
        state: 'Enabled',
        backupStatus: {
          backupName: 'b',
          completed: true,
          failed: true,
          endTimestamp: '2026-01-01T00:01:00Z',
          backupMsg: 'Backup job was cancelled. Libvirt job result: 5',
        },
      },
    },
  })
  expect(runningBackup(backed())).toBe('b')
  expect(asked.ok && runningBackup({ ...backed(), status: asked.status })).toBeUndefined()
})

test.each([
  [backed({}, 'Scheduled'), { cmd: 'Abort' }, 409, 'VMI is not running'],
  [backed(), { cmd: 'Start' }, 500, 'a backup can be aborted here, not more: cmd is "Start"'],
  [backed(), {}, 500, 'a backup can be aborted here, not more: cmd is ""'],
  [backed(), { cmd: 'Abort', backupName: 'c' }, 500, 'backup c is not under way'],
  [backed({ completed: true }), { cmd: 'Abort' }, 500, 'no backup is under way'],
])('refused %#', (of, options, code, message) => {
  expect(backupRequest(of, options, NOW)).toEqual({ ok: false, code, message })
})
