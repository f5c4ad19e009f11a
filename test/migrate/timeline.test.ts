import { describe, expect, test } from 'vitest'
import type { Migration } from '../../src/kubevirt/types.ts'
import { failureOf, outcomeOf, timelineOf } from '../../src/migrate/timeline.ts'
import {
  at,
  COMPLETED,
  COPYING,
  event,
  HANDED_OFF,
  known,
  migration,
  ms,
  TRACE_01,
  upTo,
  vmi,
} from './objects.ts'

const deleted = { metadata: { deletionTimestamp: at(9) } } as Partial<Migration>

describe('the timeline', () => {
  test('has each phase with its beginning and how long it took', () => {
    const { entries, total, since, outcome } = timelineOf(known(migration(TRACE_01)), ms(60))
    expect(entries.map(({ phase, took, state }) => [phase, took?.ms, state])).toEqual([
      ['', 1000, 'done'],
      ['Pending', 0, 'done'],
      ['Scheduling', 1000, 'done'],
      ['Scheduled', 0, 'done'],
      ['PreparingTarget', 2000, 'done'],
      ['TargetReady', 3000, 'done'],
      ['Running', 5000, 'done'],
      ['Succeeded', undefined, 'done'],
    ])
    expect(total).toEqual({ ms: 12_000, exact: false })
    expect(since).toBe(ms(13))
    expect(outcome).toBe('succeeded')
  })

  test('says where it is now, for how long, and what lies ahead', () => {
    const { entries, phase, since } = timelineOf(known(migration(upTo('TargetReady'))), ms(7))
    expect(phase).toBe('TargetReady')
    expect(since).toBe(ms(5))
    expect(entries.slice(-3).map(({ phase, took, state }) => [phase, took?.ms, state])).toEqual([
      ['TargetReady', 2000, 'current'],
      ['Running', undefined, 'ahead'],
      ['Succeeded', undefined, 'ahead'],
    ])
  })

  test('of a migration that nobody has looked at begins with its creation', () => {
    const { entries, phase } = timelineOf(known(migration()), ms(4))
    expect(phase).toBe('')
    expect(entries[0]).toMatchObject({ phase: '', at: ms(1), took: { ms: 3000 }, state: 'current' })
    expect(entries).toHaveLength(8)
  })

  test('is finer where both ends of a phase were seen', () => {
    const seenAt = new Map([
      ['Pending', ms(2.1)],
      ['Scheduling', ms(2.35)],
    ])
    const { entries } = timelineOf(known(migration(upTo('Scheduling')), { seenAt }), ms(3.35))
    expect(entries.slice(0, 3).map(({ took }) => took)).toEqual([
      { ms: 1000, exact: false },
      { ms: 250, exact: true },
      { ms: 1000, exact: true },
    ])
  })

  test('never mixes the clock of this machine with that of the cluster', () => {
    // Ours is an hour ahead: Scheduling was seen here, Pending is only recorded there.
    const seenAt = new Map([['Scheduling', ms(3600)]])
    const { entries } = timelineOf(known(migration(upTo('Scheduling')), { seenAt }), ms(3601))
    expect(entries[1]?.took).toEqual({ ms: 0, exact: false })
    expect(entries[2]?.took).toEqual({ ms: 1000, exact: true })
  })

  test('does not say what follows a phase that it does not know', () => {
    const { entries } = timelineOf(known(migration([['Synchronizing', 2]])), ms(3))
    expect(entries.map(({ phase }) => phase)).toEqual(['', 'Synchronizing'])
  })

  test('of an old release that records no times is there all the same', () => {
    const old = migration([], { status: { phase: 'Running' } })
    const { entries, phase, since } = timelineOf(known(old), ms(9))
    expect(phase).toBe('Running')
    expect(since).toBeUndefined()
    expect(entries.map(({ phase }) => phase)).toEqual(['', 'Running', 'Succeeded'])
  })
})

describe('the outcome', () => {
  test.each<[string, ReturnType<typeof known>, string]>([
    ['a running one goes on', known(migration(upTo('Running'))), 'running'],
    ['Succeeded succeeded', known(migration(TRACE_01)), 'succeeded'],
    ['Failed failed', known(migration([['Failed', 4]])), 'failed'],
    [
      'Failed after a deletion is cancelled (trace 02)',
      known(migration([['Failed', 10]], deleted)),
      'cancelled',
    ],
    [
      'one that is deleted but not yet over goes on',
      known(migration(upTo('PreparingTarget'), deleted)),
      'running',
    ],
    [
      'one that succeeded although it was to be cancelled succeeded',
      known(migration(TRACE_01, deleted)),
      'succeeded',
    ],
    [
      'a copy that broke before the deletion failed',
      known(migration([['Failed', 10]], deleted), {
        vmi: vmi({ ...COPYING, failed: true, completed: true, endTimestamp: at(6) }),
      }),
      'failed',
    ],
    [
      'one that vanished after a deletion is cancelled',
      known(migration(upTo('Running'), deleted), { gone: true }),
      'cancelled',
    ],
    [
      'one that vanished unseen is known by the VMI: completed',
      known(migration(upTo('Running')), { gone: true, vmi: vmi(COMPLETED) }),
      'succeeded',
    ],
    [
      'one that vanished unseen is known by the VMI: failed',
      known(migration(upTo('Running')), {
        gone: true,
        vmi: vmi({ ...COPYING, completed: true, failed: true }),
      }),
      'failed',
    ],
    [
      'one that vanished while another migration has the slot is unknown',
      known(migration(upTo('Running')), {
        gone: true,
        vmi: vmi({ ...COMPLETED, migrationUid: 'other' }),
      }),
      'unknown',
    ],
  ])('%s', (_, observed, outcome) => {
    expect(outcomeOf(observed)).toBe(outcome)
  })
})

describe('the reason of a failure', () => {
  const failed = migration([['Failed', 6]])

  test('is the state’s own (trace 12)', () => {
    const state = {
      ...HANDED_OFF,
      failed: true,
      completed: true,
      failureReason: 'Target pod is down',
    }
    expect(failureOf(known(failed, { vmi: vmi(state) }))).toEqual({
      reason: 'Target pod is down',
      source: 'status.migrationState.failureReason',
    })
  })

  test('is never that of another migration in the VMI’s one slot', () => {
    const state = { ...HANDED_OFF, migrationUid: 'other', failed: true, failureReason: 'not mine' }
    expect(failureOf(known(failed, { vmi: vmi(state) }))).toBeUndefined()
  })

  test('is the newest warning where there was no hand-off', () => {
    const events = [
      event('FailedMigration', 'Migration failed due to being canceled', { second: 5 }),
      event('FailedMigration', 'Migration target pod was removed during active migration.', {
        second: 6,
      }),
      event('SyncFailed', 'something else', { second: 7 }),
    ]
    expect(failureOf(known(failed, { events }))?.reason).toBe(
      'Migration target pod was removed during active migration.',
    )
  })

  test('is nobody’s when the events have expired', () => {
    expect(failureOf(known(failed))).toBeUndefined()
  })
})
