import { expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { parseReference } from '../../src/kubevirt/reference.ts'
import { type Moving, moveVm } from '../../src/migrate/move.ts'
import { startStage } from './stage.ts'

test('a move is told from forecast to end', async () => {
  const stage = await startStage()
  await stage.addVm('vm-1')
  const told: Moving[] = []
  const moving = moveVm(stage.admin, parseReference('vm-1', ['vm']), {
    namespace: 'demo',
    clock: systemClock,
    signal: new AbortController().signal,
    wait: true,
    onStep: (step) => told.push(step),
  })
  const migration = await stage.theMigrationOf('vm-1')
  await stage.advance(migration, 'Succeeded')
  const moved = await moving
  console.log(told.map((t) => JSON.stringify(t.step).slice(0, 150)).join('\n'))
  console.log(JSON.stringify(moved.report, null, 1))
  expect(moved.error).toBeUndefined()
})
