import { describe, expect, test } from 'vitest'
import type { Migration, Pod } from '../../src/kubevirt/types.ts'
import { backoffOf } from '../../src/rules/backoff.ts'
import { collectable } from '../../src/rules/collection.ts'
import { pendingTimeout } from '../../src/rules/pending-timeout.ts'
import { condition, launcher, migration } from './objects.ts'

const at = (seconds: number) => new Date(seconds * 1000).toISOString()

describe('a pending target pod times out', () => {
  const created = { metadata: { creationTimestamp: at(1000) }, phase: 'Pending' }
  const unscheduled: Pod = launcher('target', created)
  unscheduled.status = {
    phase: 'Pending',
    conditions: [condition('PodScheduled', 'False', 'Unschedulable')],
  }
  const annotated = (annotations: Record<string, string>) =>
    migration('m', { metadata: { annotations } })

  test.each<[string, Migration, Pod, number, string]>([
    ['after 900 s', migration('m'), launcher('target', created), 1900, 'pending'],
    ['after 300 s when no node takes it', migration('m'), unscheduled, 1300, 'unschedulable'],
    [
      'when its annotation says',
      annotated({ 'kubevirt.io/migrationUnschedulablePodTimeoutSeconds': '6' }),
      unscheduled,
      1006,
      'unschedulable',
    ],
    [
      'by the nearer of both limits',
      annotated({ 'kubevirt.io/migrationPendingPodTimeoutSeconds': '10' }),
      unscheduled,
      1010,
      'pending',
    ],
    [
      'by the default where the annotation is no number',
      annotated({ 'kubevirt.io/migrationPendingPodTimeoutSeconds': '1m' }),
      launcher('target', created),
      1900,
      'pending',
    ],
  ])('%s', (_, of, pod, deadline, limit) => {
    expect(pendingTimeout(of, pod, deadline * 1000 - 1)).toMatchObject({
      limit,
      remaining: 1,
      expired: false,
    })
    expect(pendingTimeout(of, pod, deadline * 1000)).toMatchObject({ expired: true })
  })

  test('not once it runs', () => {
    expect(pendingTimeout(migration('m'), launcher('target'), 0)).toEqual({ pending: false })
  })
})

describe('an evacuation that failed is tried again', () => {
  const evacuation = (name: string, created: number, failed?: number, extra = {}) =>
    migration(name, {
      phase: failed === undefined ? 'Pending' : 'Failed',
      metadata: {
        creationTimestamp: at(created),
        annotations: { 'kubevirt.io/evacuationMigration': 'node-1' },
        ...extra,
      },
      status:
        failed === undefined
          ? {}
          : {
              phaseTransitionTimestamps: [
                { phase: 'Failed', phaseTransitionTimestamp: at(failed) },
              ],
            },
    })

  test('20 s after the first failure, 40 s after the second', () => {
    const first = evacuation('first', 0, 10)
    const second = evacuation('second', 11)
    expect(backoffOf(second, [first, second], 12_000)).toMatchObject({
      wait: true,
      until: 30_000,
      remaining: 18_000,
    })
    expect(backoffOf(second, [first, second], 30_000)).toEqual({ wait: false })
    const failed = evacuation('second', 11, 44)
    const third = evacuation('third', 45)
    expect(backoffOf(third, [third, first, failed], 45_000)).toMatchObject({ until: 84_000 })
  })

  test('at once after a success, and failures before it count no more', () => {
    const first = evacuation('first', 0, 10)
    const good = { ...evacuation('good', 20, 30), status: { phase: 'Succeeded' } }
    const next = evacuation('next', 40)
    expect(backoffOf(next, [first, good, next], 41_000)).toEqual({ wait: false })
  })

  test('at once when a person did it, when it is not the newest, or where a test says so', () => {
    const first = evacuation('first', 0, 10)
    expect(backoffOf(migration('mine'), [first, migration('mine')], 11_000).wait).toBe(false)
    const older = evacuation('older', 1)
    const newer = evacuation('newer', 2)
    expect(backoffOf(older, [first, older, newer], 11_000).wait).toBe(false)
    const annotations = {
      'kubevirt.io/evacuationMigration': 'node-1',
      'kubevirt.io/func-test-ignore-migration-backoff': '',
    }
    const hasty = evacuation('hasty', 11, undefined, { annotations })
    expect(backoffOf(hasty, [first, hasty], 12_000).wait).toBe(false)
  })
})

test('all but the newest five ended migrations of the VM are collected, each with the pod it left', () => {
  const ended = [1, 2, 3, 4, 5, 6, 7].map((n) =>
    migration(`m${n}`, {
      phase: n === 1 ? 'Failed' : 'Succeeded',
      metadata: { creationTimestamp: at(n) },
      status: {
        migrationState: {
          sourcePod: `source-${n}`,
          targetPod: `target-${n}`,
          completed: true,
          failed: n === 1,
        },
      },
    }),
  )
  const others = [
    migration('running', { phase: 'Running', metadata: { creationTimestamp: at(0) } }),
    migration('other-vm', { phase: 'Failed', vmiName: 'vm-2' }),
    migration('leaving', { phase: 'Failed', metadata: { deletionTimestamp: at(1) } }),
  ]
  const found = collectable([...ended, ...others], 'vm-1')
  expect(found.map(({ migration, pod }) => [migration.metadata.name, pod])).toEqual([
    ['m2', 'source-2'],
    ['m1', 'target-1'],
  ])
})
