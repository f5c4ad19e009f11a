import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { entryOf, isCode } from '../../src/diagnose/catalogue.ts'
import { allScenarios } from '../../src/lab/scenario/folder.ts'
import { play } from './play.ts'

const scenarios = await allScenarios()
const withKubectl = (() => {
  try {
    return execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' }) === null
  } catch {
    return false
  }
})()

/** Each is the end-to-end test of its own: as its file says, by the command lines that it names. */
describe.skipIf(!withKubectl)('a scenario ends in its own code, and mended in none', () => {
  test.concurrent.for(scenarios)(
    '$name: $title',
    { timeout: 120_000 },
    async (scenario, { onTestFinished }) => {
      const { code = 'MIG0010', diagnose: ask, mend, proof } = scenario
      const { diagnose, type } = await play(scenario, onTestFinished)
      const found = await diagnose(ask)
      expect(found).toMatchObject({ code, exit: scenario.code ? 3 : 0 })
      expect(found.findings.length > 0).toBe(scenario.code !== undefined)
      for (const line of [...mend, proof]) expect(await type(line)).toMatchObject({ code: 0 })
      expect(await diagnose(ask)).toMatchObject({ exit: 0, findings: [] })
    },
  )
})

test('each has a code of its own, and says what it is about', () => {
  const codes = scenarios.flatMap(({ code }) => code ?? [])
  expect(codes).toEqual([...new Set(codes)])
  for (const { name, title, story, code } of scenarios) {
    expect([name, story.length > 80, title.length > 20]).toEqual([name, true, true])
    if (code !== undefined) expect(isCode(code) && entryOf(code).rank > 0).toBe(true)
  }
})
