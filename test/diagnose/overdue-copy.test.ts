import { expect, test } from 'vitest'
import { handedOff, LATER, migration, reportOn, verdictOn, vmi } from './world.ts'

const memory = { domain: { memory: { guest: '1Gi' }, devices: {} } }
const state = (over: Record<string, unknown> = {}, status: Record<string, unknown> = {}) =>
  vmi(memory, {
    ...handedOff({
      startTimestamp: '2026-01-01T10:00:05Z',
      migrationConfiguration: { completionTimeoutPerGiB: 150, progressTimeout: 150 },
      ...over,
    }),
    ...status,
  })
const running = migration('Running')
const told = (target: Record<string, unknown>, of = running) =>
  verdictOn([of, target], { now: LATER })

test('a copy that runs long after its limit was ended by nobody', () => {
  const found = told(state())
  expect(found).toMatchObject({ code: 'MIG8009', status: 'fail', endsByItself: 'no' })
  expect(found.text).toContain('its limit of 300 s (5 min) passed at 2026-01-01T10:05:05Z')
})

test.each([
  ['in post-copy', state({ mode: 'PostCopy' })],
  ['that copies disks', state({}, { migrationMethod: 'BlockMigration' })],
  [
    'without a limit',
    state({ migrationConfiguration: { completionTimeoutPerGiB: 0, progressTimeout: 150 } }),
  ],
  [
    'that may pause the guest, which doubles the limit',
    state({
      migrationConfiguration: { completionTimeoutPerGiB: 150, allowWorkloadDisruption: true },
    }),
  ],
])('one %s is not overdue', (_, target) => {
  expect(told(target).code).not.toBe('MIG8009')
})

test('a cancel that nobody carries out', () => {
  const deleted = (at: string) => migration('Running', { metadata: { deletionTimestamp: at } })
  const status = (at: string) =>
    reportOn([deleted(at), state({ mode: 'PreCopy' }, { migrationMethod: 'BlockMigration' })], {
      now: LATER,
    }).verdict.code
  expect(status('2026-01-01T10:05:00Z')).toBe('MIG8020')
  expect(status('2026-01-01T10:19:30Z')).not.toBe('MIG8020')
})
