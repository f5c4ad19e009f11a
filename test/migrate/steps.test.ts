import { describe, expect, test } from 'vitest'
import type { Event, Migration, Pod } from '../../src/kubevirt/types.ts'
import { concerns, observe, ownState } from '../../src/migrate/observed.ts'
import { podTrouble, type Step, stepsBetween, warningsOf } from '../../src/migrate/steps.ts'
import {
  at,
  COMPLETED,
  COPYING,
  event,
  HANDED_OFF,
  known,
  migration,
  ms,
  pod,
  TRACE_01,
  unschedulable,
  upTo,
  vmi,
} from './objects.ts'

const seen = (object: Migration, deleted = false) => ({
  kind: 'migration' as const,
  object,
  deleted,
})

describe('an observation', () => {
  test('of a phase is noted with the time at which it was seen', () => {
    const before = known(migration(upTo('Pending')))
    const after = observe(before, seen(migration(upTo('Scheduling'))), ms(2.5))
    expect(after.seenAt.get('Scheduling')).toBe(ms(2.5))
    expect(observe(after, seen(migration(upTo('Scheduling'))), ms(3)).seenAt).toBe(after.seenAt)
  })

  test('of another object with the same name changes nothing', () => {
    const before = known(migration(upTo('Running')))
    const other = migration(TRACE_01, { metadata: { name: 'vm-1-m', uid: 'other' } })
    expect(observe(before, seen(other), ms(9))).toBe(before)
  })

  test('of an earlier migration’s target pod changes nothing', () => {
    const before = known(migration(upTo('Scheduling')))
    const object: Pod = { ...pod(), metadata: { ...pod().metadata, labels: {} } }
    expect(observe(before, { kind: 'pod', object, deleted: false }, ms(3))).toBe(before)
  })

  test('of an expired event does not take it away', () => {
    const object = event('SyncFailed', 'x')
    const before = observe(known(migration()), { kind: 'event', object, deleted: false }, ms(5))
    const after = observe(before, { kind: 'event', object, deleted: true }, ms(6))
    expect([...after.events.values()]).toEqual([object])
  })
})

test('another migration’s state is never shown as this one’s', () => {
  const earlier = vmi({ ...COMPLETED, migrationUid: 'earlier' })
  expect(ownState({ migration: migration(upTo('Scheduling')), vmi: earlier })).toBeUndefined()
  expect(ownState({ migration: migration(upTo('Running')), vmi: vmi(COPYING) })).toEqual(COPYING)
})

describe('an event tells of this migration', () => {
  const observed = known(migration(upTo('Scheduling')), { vmi: vmi(), targetPod: pod() })
  const onVmi = (message: string, second: number) =>
    event('Migrated', message, { on: 'VirtualMachineInstance', uid: 'uid-vmi', second })

  test.each<[string, Event, boolean]>([
    ['when it is on the migration', event('FailedMigration', 'x'), true],
    ['when it is on the target pod', event('FailedScheduling', 'x', { uid: 'uid-pod' }), true],
    ['not when it is on another pod', event('FailedScheduling', 'x', { uid: 'other' }), false],
    ['when it is on the VMI and newer', onVmi('x', 2), true],
    ['not when it is on the VMI and older', onVmi('x', 0), false],
    [
      'not when it names another migration',
      onVmi('VirtualMachineInstance migration uid other failed. reason:x', 2),
      false,
    ],
    [
      'when it names this one',
      onVmi('VirtualMachineInstance migration uid uid-m failed. reason:x', 2),
      true,
    ],
  ])('%s', (_, one, expected) => {
    expect(concerns(observed, one)).toBe(expected)
  })
})

describe('what is new between two moments', () => {
  const types = (steps: Step[]) => steps.map(({ type }) => type)

  test('nothing', () => {
    const observed = known(migration(upTo('Running')))
    expect(stepsBetween(observed, observed)).toEqual([])
  })

  test('a phase', () => {
    const before = known(migration(upTo('Pending')))
    const after = known(migration(upTo('Scheduling')))
    expect(stepsBetween(before, after)).toEqual([{ type: 'phase', phase: 'Scheduling' }])
  })

  test('the end comes last, after its phase and its warning', () => {
    const before = known(migration(upTo('Running')))
    const after = known(migration([...upTo('Running'), ['Failed', 9]]), {
      events: [event('FailedMigration', 'source node reported migration failed')],
    })
    expect(types(stepsBetween(before, after))).toEqual(['warning', 'phase', 'end'])
  })

  test('a wish to cancel, before anything comes of it', () => {
    const before = known(migration(upTo('PreparingTarget')))
    const after = known(
      migration(upTo('PreparingTarget'), {
        metadata: { deletionTimestamp: at(4) },
      } as Partial<Migration>),
    )
    expect(types(stepsBetween(before, after))).toEqual(['cancelling'])
  })

  test('a pod that cannot be placed, once for each reason', () => {
    const before = known(migration(upTo('Scheduling')), { targetPod: unschedulable('0/3 nodes') })
    const same = known(migration(upTo('Scheduling')), { targetPod: unschedulable('0/3 nodes') })
    const other = known(migration(upTo('Scheduling')), { targetPod: unschedulable('0/4 nodes') })
    expect(stepsBetween(before, same)).toEqual([])
    expect(types(stepsBetween(before, other))).toEqual(['pod'])
  })

  test('a warning once, however often it is counted and combined', () => {
    const first = event('FailedCreate', 'exceeded quota', { name: 'a' })
    const again = event('FailedCreate', '(combined from similar events): exceeded quota', {
      name: 'b',
    })
    const before = known(migration(upTo('Pending')), { events: [first] })
    const after = known(migration(upTo('Pending')), { events: [{ ...first, count: 9 }, again] })
    expect(stepsBetween(before, after)).toEqual([])
    expect(warningsOf(after)).toMatchObject([{ count: 10 }])
  })

  test('a quota’s refusals once, though each names another pod', () => {
    const refusal = (pod: string) =>
      event('FailedCreate', `Error creating pod: pods "${pod}" is forbidden: exceeded quota`, {
        name: pod,
      })
    const events = [refusal('virt-launcher-vm-1-xzzjs'), refusal('virt-launcher-vm-1-8g99w')]
    expect(warningsOf(known(migration(upTo('Pending')), { events }))).toMatchObject([{ count: 2 }])
    const other = [events[0]!, refusal('virt-launcher-vm-2-8g99w')]
    expect(warningsOf(known(migration(upTo('Pending')), { events: other }))).toHaveLength(2)
  })

  test('progress, but none after the end', () => {
    const progress = { at: ms(9), remainingBytes: 1 }
    const running = known(migration(upTo('Running')), { vmi: vmi(COPYING) })
    expect(types(stepsBetween(running, { ...running, progress }))).toEqual(['progress'])
    const ended = known(migration(TRACE_01))
    expect(stepsBetween(ended, { ...ended, progress })).toEqual([])
  })
})

describe('a pod’s trouble', () => {
  const waiting = (reason: string, message?: string) => ({
    phase: 'Pending',
    containerStatuses: [
      { name: 'compute', state: { waiting: { reason, ...(message && { message }) } } },
    ],
  })

  test.each<[string, Pod['status'], string | undefined]>([
    ['none while it starts as usual', waiting('ContainerCreating'), undefined],
    ['none when it runs', {}, undefined],
    [
      'the kubelet’s words',
      waiting('ErrImagePull', 'no such image'),
      'ErrImagePull: no such image',
    ],
    [
      'why it failed',
      { phase: 'Failed', reason: 'Evicted', message: 'low on memory' },
      'low on memory',
    ],
  ])('%s', (_, status, trouble) => {
    expect(podTrouble(pod(status))).toBe(trouble)
  })
})

test('hand-off is seen by the VMI’s state', () => {
  expect(ownState(known(migration(upTo('Scheduled')), { vmi: vmi(HANDED_OFF) }))?.targetNode).toBe(
    'node-3',
  )
})
