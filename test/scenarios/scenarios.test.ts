import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { entryOf, isCode } from '../../src/diagnose/catalogue.ts'
import type { LabOptions } from '../../src/lab/lab.ts'
import { findBinaries } from '../../src/lab/real-api/binaries.ts'
import { allScenarios } from '../../src/lab/scenario/folder.ts'
import type { Scenario } from '../../src/lab/scenario/scenario.ts'
import { hasQemu, NO_QEMU } from '../e2e/qemu.ts'
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
  test.concurrent.for(scenarios)('$name: $title', { timeout }, (scenario, { onTestFinished }) =>
    asItSays(scenario, onTestFinished),
  )
})

/** Some that differ much: a refusal of the API, objects that come and go, logs and commands that run on nodes. */
const onRealApi = named('quota', 'rwo-disk', 'wrong-common-name')
const binaries = await findBinaries(process.env)
if (!binaries)
  test.skip(
    'scenarios on kube-apiserver: not built (test/e2e/build-kube-apiserver.sh), nor in KUBEBUILDER_ASSETS',
  )
else
  describe.skipIf(!withKubectl)('a scenario is the same on a real kube-apiserver', () => {
    test.concurrent.for(onRealApi)('$name', { timeout }, (scenario, { onTestFinished }) =>
      asItSays(scenario, onTestFinished, { binaries }),
    )
  })

/** Those that are about the copy itself. */
const withQemu = named('policy', 'slow-link', 'stalled-link', 'target-pod-killed')
if (!hasQemu) test.skip(`scenarios with guests in real QEMUs: ${NO_QEMU}`)
else
  describe.skipIf(!withKubectl)('a scenario is the same with guests in real QEMUs', () => {
    test.concurrent.for(withQemu)('$name', { timeout }, (scenario, { onTestFinished }) =>
      asItSays(scenario, onTestFinished, { guest: 'qemu' }),
    )
  })

function named(...names: string[]): Scenario[] {
  return scenarios.filter(({ name }) => names.includes(name))
}

async function asItSays(
  scenario: Scenario,
  onTestFinished: Parameters<typeof play>[1],
  instead?: Partial<LabOptions>,
): Promise<void> {
  const { code = 'MIG0010', diagnose: ask, mend, proof } = scenario
  onTestFinished(await turn())
  const { diagnose, type } = await play(scenario, onTestFinished, instead)
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
}

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
