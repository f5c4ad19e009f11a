import { describe, expect, test } from 'vitest'
import { scenarioOf } from './scenario.ts'

const kubevirt = { metadata: { name: 'kubevirt' }, spec: {} }
const input = { t: 0, by: 'user', op: 'create', kind: 'Pod' }
const recording = (step: object) => ({
  scenario: '99-any',
  title: 'any',
  kubevirt,
  nodes: [],
  steps: [step],
})

test('what a step leaves out is filled in', () => {
  const { steps } = scenarioOf(recording({ do: 'wait', settledAfter: 2 }))
  expect(steps).toEqual([{ step: 1, do: 'wait', at: 0, settledAfter: 2, inputs: [], state: {} }])
})

describe('it is said what of a recording is not as it has to be', () => {
  test.each<[string, unknown, string]>([
    ['another document', 'text', 'this is no recording'],
    ['an empty document', null, 'this is no recording'],
    ['no steps', { ...recording({}), steps: undefined }, '"steps" is no list'],
    ['no nodes', { ...recording({}), nodes: 3 }, '"nodes" is no list'],
    ['no cluster', { ...recording({}), kubevirt: {} }, '"kubevirt" is missing'],
    ['a step without an end', recording({ step: 4 }), 'step 4: "settledAfter" is no number'],
    [
      'an unknown operation',
      recording({ settledAfter: 1, inputs: [{ ...input, op: 'apply' }] }),
      'step 1: the operation "apply" is unknown',
    ],
    [
      'an input by nobody',
      recording({ settledAfter: 1, inputs: [{ ...input, by: undefined }] }),
      'step 1: an input without "by" or "kind"',
    ],
  ])('%s', (_, document, message) => {
    expect(() => scenarioOf(document)).toThrow(message)
  })
})
