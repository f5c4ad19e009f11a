import { setTimeout as sleep } from 'node:timers/promises'
import { PODS } from '../../src/kubevirt/resources.ts'
import type { KubeVirt } from '../../src/kubevirt/types.ts'
import type { Binaries } from '../../src/lab/real-api/binaries.ts'
import { compareSnapshots, type Difference } from './compare.ts'
import { recordedDelays, TOLERANCE } from './delays.ts'
import { advance, emptySnapshot } from './expected.ts'
import { type ReplayLab, startReplayLab } from './lab.ts'
import { observe } from './observe.ts'
import { perform, type Refused } from './perform.ts'
import type { Input, Scenario, Step } from './scenario.ts'
import { waitsFor } from './waiting.ts'

/** What was not as recorded, and in which step. */
export interface Deviation extends Difference {
  step: number
}

/** Beside what a step took to settle, in ms. */
const PATIENCE = 10_000
const POLL = 20
/** How long the workload updater puts off a look, in ms. */
const THROTTLE = 5000

/**
 * Plays a recording against a lab of its own, on the real API server of these binaries if given. Ends with the first step
 * that deviates.
 */
export async function play(scenario: Scenario, binaries?: Binaries): Promise<Deviation[]> {
  const start = Date.now()
  const lab = await startReplayLab(scenario, start, binaries)
  try {
    const performed: number[] = []
    let expected = emptySnapshot()
    for (const step of scenario.steps) {
      if (updatesWorkloads(scenario)) await within(THROTTLE, () => !lab.controllers.updaterWaits())
      const refused = await performAll(step, lab, performed)
      if (refused.length > 0) return at(step, refused)
      expected = advance(expected, step.state)
      let found: Difference[] = []
      const equal = await within(patience(step), () => {
        found = compareSnapshots(expected, observe(lab))
        return found.length === 0
      })
      if (!equal) return at(step, found)
      // What must not happen, must not happen: once more, after that which takes time has had it.
      await sleep(isSlow(scenario) ? step.settledAfter * 1000 : 1000)
      found = compareSnapshots(expected, observe(lab))
      found.push(...delayDifferences(scenario, step, lab, performed))
      if (found.length > 0) return at(step, found)
    }
    return []
  } finally {
    await lab.close()
  }
}

/** In order; notes in `performed` when each was. The first that is not answered as recorded is the last. */
async function performAll(step: Step, lab: ReplayLab, performed: number[]): Promise<Difference[]> {
  for (const [index, input] of step.inputs.entries()) {
    const previous = step.inputs[index - 1]
    let wanted: string | undefined
    const ready = await within(patience(step), () => {
      wanted = waitsFor(input, previous, lab)
      return wanted === undefined
    })
    if (!ready)
      return [{ object: nameOf(input), field: 'waits for', expected: wanted, got: 'never' }]
    performed.push(Date.now())
    let answer: Refused | undefined
    try {
      answer = await perform(input, lab)
    } catch (err) {
      const got = err instanceof Error ? err.message : String(err)
      return [{ object: nameOf(input), field: 'fails', expected: undefined, got }]
    }
    const got = answer && lab.names.tokens(answer)
    const { refused } = input
    if (got?.code !== refused?.code || got?.message !== refused?.message)
      return [{ object: nameOf(input), field: 'refused', expected: refused, got }]
  }
  return []
}

function nameOf({ by, op, kind, name }: Input): string {
  return `${by} ${op} ${kind}${name ? `/${name}` : ''}`
}

function delayDifferences(
  scenario: Scenario,
  step: Step,
  { lifeOf, names }: ReplayLab,
  performed: number[],
): Difference[] {
  return recordedDelays(scenario)
    .filter((delay) => delay.step === step.step)
    .flatMap(({ verb, pod, input, seconds }) => {
      const life = lifeOf(PODS, names.resolveName(pod) ?? '')
      const moment = verb === 'create' ? life?.created : life?.deleted
      const took = ((moment ?? Number.NaN) - (performed[input] ?? Number.NaN)) / 1000
      if (Math.abs(took - seconds) <= TOLERANCE) return []
      const field = `${verb}d after`
      return [{ object: `pods/${pod}`, field, expected: `${seconds.toFixed(1)}s`, got: `${took}s` }]
    })
}

/** There the second look comes after as long as the recording took to settle. */
function isSlow({ scenario }: Scenario): boolean {
  return /^(08|18|19)-/.test(scenario)
}

/**
 * Where VMs are moved by the workload updater, a step begins without a look of it that is left over from before: it would
 * come upon the step's change too early.
 */
function updatesWorkloads({ kubevirt, steps }: Scenario): boolean {
  const isSet = (spec: unknown) => (spec as KubeVirt['spec'])?.workloadUpdateStrategy !== undefined
  return (
    isSet(kubevirt.spec) ||
    steps.some(({ inputs }) =>
      inputs.some(({ kind, body }) => kind === 'KubeVirt' && isSet(body?.['spec'])),
    )
  )
}

function patience({ settledAfter }: Step): number {
  return settledAfter * 1000 + PATIENCE
}

async function within(ms: number, condition: () => boolean): Promise<boolean> {
  const end = Date.now() + ms
  while (!condition()) {
    if (Date.now() > end) return false
    await sleep(POLL)
  }
  return true
}

function at({ step }: Step, differences: Difference[]): Deviation[] {
  return differences.map((difference) => ({ step, ...difference }))
}
