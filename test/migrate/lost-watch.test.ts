import { expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { follow } from '../../src/migrate/follow.ts'
import { firstSight } from '../../src/migrate/observed.ts'
import { migrationObject, startMigration } from '../../src/migrate/start.ts'
import { breakable } from './breakable.ts'
import { startStage, until } from './stage.ts'

test('a migration is followed over lost watches, and what was missed is told', async () => {
  const stage = await startStage()
  await stage.addVm('vm-1')
  const migration = await startMigration(stage.admin, migrationObject('demo', 'vm-1'))
  const network = breakable(stage.admin)
  const told: string[] = []
  const following = (async () => {
    const first = firstSight(migration)
    for await (const { step } of follow(network.cluster, first, { clock: systemClock }))
      told.push(step.type === 'phase' ? step.phase : step.type)
  })()
  await stage.advance(migration, 'Scheduling')
  await until(() => told.includes('Scheduling') || undefined)
  network.cut()
  await until(() => told.includes('lost') || undefined)
  await stage.advance(migration, 'Running')
  network.mend()
  await until(() => told.includes('Running') || undefined)
  await until(() => told.includes('regained') || undefined)
  await stage.advance(migration, 'Succeeded')
  await following
  // One connection to a person, however many watches it has.
  expect(told.filter((one) => one === 'lost')).toHaveLength(1)
  expect(told.filter((one) => one === 'regained')).toHaveLength(1)
  expect(told.at(-1)).toBe('end')
})

test('a migration that ended and vanished meanwhile is known by its VMI', async () => {
  const stage = await startStage()
  await stage.addVm('vm-1')
  const migration = await startMigration(stage.admin, migrationObject('demo', 'vm-1'))
  await stage.advance(migration, 'Running')
  const running = await stage.migration(migration.metadata.name)
  await stage.advance(migration, 'Succeeded')
  await stage.cancel(migration)
  const outcomes: string[] = []
  for await (const { step } of follow(stage.admin, firstSight(running), { clock: systemClock }))
    if (step.type === 'end') outcomes.push(step.outcome)
  expect(outcomes).toEqual(['succeeded'])
})
