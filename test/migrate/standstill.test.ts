import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { parseReference } from '../../src/kubevirt/reference.ts'
import type { Moving } from '../../src/migrate/move.ts'
import { moveAll } from '../../src/migrate/move-all.ts'
import { watchStandstill } from '../../src/migrate/standstill.ts'
import type { Step } from '../../src/migrate/steps.ts'
import { type Stage, startStage, until } from './stage.ts'

const PATIENCE = 300

/** Moves vm-1 with little patience, and keeps what is told. */
function move(stage: Stage, patience = PATIENCE) {
  const told: Moving[] = []
  const moved = moveAll(stage.admin, [parseReference('vm-1', ['vm'])], {
    namespace: 'demo',
    clock: systemClock,
    signal: new AbortController().signal,
    wait: true,
    patience,
    onStep: (step) => told.push(step),
  })
  const verdicts = () => told.flatMap(({ step }) => (step.type === 'verdict' ? [step] : []))
  return { told, moved, verdicts }
}

describe('the diagnosis of a move', () => {
  test('is made when it fails, told after the end, and is in the report', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const { told, moved, verdicts } = move(stage, 60_000)
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'PreparingTarget')
    await stage.advance(migration, 'Failed')
    const [result] = await moved
    expect(told.map(({ step }) => step.type).slice(-2)).toEqual(['end', 'verdict'])
    const [verdict] = verdicts()
    expect(verdict?.stillFor).toBeUndefined()
    // "Target pod is down", as the stage has it.
    expect(verdict?.verdict).toMatchObject({ stage: 'Failed', code: expect.stringMatching(/^MIG/) })
    expect(result?.report.verdict).toEqual(verdict?.verdict)
    expect(result?.error?.exit).toBe(6)
  })

  test('is made once when it stands still, and again after it had moved on', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const { moved, verdicts } = move(stage)
    const migration = await stage.theMigrationOf('vm-1')
    await stage.advance(migration, 'Scheduling')
    await until(() => verdicts().some(({ verdict }) => verdict.stage === 'Scheduling') || undefined)
    const before = verdicts().length
    await new Promise((resolve) => setTimeout(resolve, 3 * PATIENCE))
    expect(verdicts()).toHaveLength(before)
    expect(verdicts().at(-1)?.stillFor).toBe(PATIENCE)
    await stage.advance(migration, 'TargetReady')
    await until(
      () => verdicts().some(({ verdict }) => verdict.stage === 'TargetReady') || undefined,
    )
    await stage.advance(migration, 'Succeeded')
    const [result] = await moved
    // What it stood still for is of no matter once it is there.
    expect(result?.report).toMatchObject({ outcome: 'succeeded', verdict: null })
  })

  test('is not made of one that goes well', async () => {
    const stage = await startStage()
    await stage.addVm('vm-1')
    const { moved, verdicts } = move(stage, 60_000)
    await stage.advance(await stage.theMigrationOf('vm-1'), 'Succeeded')
    const [result] = await moved
    expect(verdicts()).toEqual([])
    expect(result?.report.verdict).toBeNull()
  })
})

test('bytes and stages move it on; warnings and bytes that stay the same do not', async () => {
  let stills = 0
  const watch = watchStandstill(systemClock, 120, async () => void stills++)
  const progress = (processedBytes: number) =>
    ({ type: 'progress', progress: { processedBytes } }) as Step
  for (let bytes = 1; bytes <= 5; bytes++) {
    await new Promise((resolve) => setTimeout(resolve, 60))
    watch.hear(progress(bytes))
  }
  expect(stills).toBe(0)
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 60))
    watch.hear(progress(5))
    watch.hear({ type: 'gap', gap: { what: '', why: '' } })
  }
  expect(stills).toBe(1)
  watch.hear({ type: 'phase', phase: 'Running' })
  await until(() => stills === 2 || undefined)
  await watch.close()
})
