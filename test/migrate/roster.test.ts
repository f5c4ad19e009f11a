import { expect, test } from 'vitest'
import type { Migration } from '../../src/kubevirt/types.ts'
import { isShown } from '../../src/migrate/list.ts'
import { firstSight } from '../../src/migrate/observed.ts'
import { createRoster } from '../../src/migrate/roster.ts'

const START = Date.parse('2026-01-01T10:00:00Z')
const MINUTE = 60_000

function migration(name: string, phase: string): Migration {
  const entered = { phase, phaseTransitionTimestamp: new Date(START).toISOString() }
  return {
    metadata: { name, uid: name, namespace: 'demo' },
    spec: { vmiName: name },
    status: { phase, phaseTransitionTimestamps: [entered] },
  }
}

test('what has ended leaves a live list when a new one would not show it', () => {
  let now = START
  const roster = createRoster(
    () => now,
    (one) => isShown(one, {}, now),
  )
  for (const [name, phase] of [
    ['over', 'Succeeded'],
    ['copies', 'Running'],
  ] as const)
    roster.put(firstSight(migration(name, phase)))
  const names = () => roster.all().map((observed) => observed.migration.metadata.name)
  now += 59 * MINUTE
  expect(names()).toEqual(['copies', 'over'])
  now += 2 * MINUTE
  expect(names()).toEqual(['copies'])
  expect(roster.get('over')).toBeUndefined()
})

test('what vanished is shown for another minute', () => {
  let now = START
  const roster = createRoster(() => now)
  roster.put({ ...firstSight(migration('gone', 'Running')), gone: true })
  expect(roster.all()).toHaveLength(1)
  now += 2 * MINUTE
  expect(roster.all()).toEqual([])
})
