import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { entryOf, isCode } from '../../src/diagnose/catalogue.ts'
import { allScenarios } from '../../src/lab/scenario/folder.ts'
import { play } from './play.ts'
import { turns } from './turns.ts'

const scenarios = await allScenarios()
const withKubectl = (() => {
  try {
    return execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' }) === null
  } catch {
    return false
  }
})()
/** So many labs at a time keep two cores busy. */
const turn = turns(3)
const timeout = 600_000

/** Each is the end-to-end test of its own: as its file says, by the command lines that it names. */
describe.skipIf(!withKubectl)('a scenario ends in its own code, and mended in none', () => {
  test.concurrent.for(scenarios)(
    '$name: $title',
    { timeout },
    async (scenario, { onTestFinished }) => {
      const { code = 'MIG0010', diagnose: ask, mend, proof } = scenario
      onTestFinished(await turn())
      const { diagnose, type } = await play(scenario, onTestFinished)
      for (const line of ask) {
        const found = await diagnose(line)
        expect(found).toMatchObject({ code, exit: scenario.code ? 3 : 0 })
        expect(found.findings.length > 0).toBe(scenario.code !== undefined)
      }
      // What is a failure by its name is one without, however young.
      if (ask.some((line) => /^kubectl mig diagnose vm-\d+$/.test(line)))
        expect(await diagnose('kubectl mig diagnose -A')).toMatchObject({
          exit: scenario.code ? 3 : 0,
        })
      for (const line of [...mend, proof]) expect(await type(line)).toMatchObject({ code: 0 })
      expect(await diagnose(ask[0]!)).toMatchObject({ exit: 0, findings: [] })
    },
  )
})

test.concurrent('a lab that has been lived in: nothing is wrong with a VM, a node, the namespace; who may only look is told what was kept from him', {
  timeout,
}, async ({ onTestFinished }) => {
  onTestFinished(await turn())
  const scenario = scenarios.find(({ name }) => name === 'lived-in')!
  const { diagnose } = await play(scenario, onTestFinished)
  for (const asked of ['', 'vm-1', 'vmi/vm-4', 'node/node-1', 'proxy vm-1', '-A'])
    expect([asked, await diagnose(`kubectl mig diagnose ${asked}`)]).toEqual([
      asked,
      expect.objectContaining({ exit: 0, findings: [] }),
    ])
  const viewer = await diagnose('kubectl mig diagnose vm-1 --context viewer')
  expect(viewer.coverage.gaps).toContainEqual(
    expect.objectContaining({ what: 'Node', why: 'forbidden' }),
  )
  expect(await diagnose('kubectl mig diagnose -A --context viewer')).toMatchObject({
    exit: 8,
    code: 'MIG0008',
  })
})

test('each has a code of its own, and says what it is about', () => {
  const codes = scenarios.flatMap(({ code }) => code ?? [])
  expect(codes).toEqual([...new Set(codes)])
  for (const { name, title, story, code } of scenarios) {
    expect([name, story.length > 80, title.length > 20]).toEqual([name, true, true])
    if (code !== undefined) expect(isCode(code) && entryOf(code).rank > 0).toBe(true)
  }
})
