import { expect, test } from 'vitest'
import { recordedDelays } from './delays.ts'
import { merged } from './perform.ts'
import type { Input, Step, Write } from './scenario.ts'

const input = (t: number): Input => ({ t, by: 'user', op: 'create', kind: 'Pod', name: `i${t}` })
const write = (t: number, verb: string, more: Partial<Write> = {}): Write => ({
  t,
  by: 'virt-controller',
  verb,
  kind: 'Pod',
  name: 'p',
  ...more,
})
const step = (number: number, inputs: Input[], writes: Write[]): Step => ({
  step: number,
  do: '',
  at: 0,
  settledAfter: 1,
  inputs,
  writes,
  state: {},
})

test('what took long counts from the last input before it', () => {
  const steps = [
    step(1, [input(1), input(2)], [write(2.1, 'create'), write(8, 'delete')]),
    step(2, [input(9)], [write(29, 'create')]),
  ]
  expect(recordedDelays({ steps })).toEqual([
    { verb: 'delete', pod: 'p', input: 1, step: 1, seconds: 6 },
    { verb: 'create', pod: 'p', input: 2, step: 2, seconds: 20 },
  ])
})

test('patches, others’ writes and tries after a refusal do not', () => {
  const refusedThenMade = [write(1.1, 'create', { code: 403 }), write(9, 'create')]
  const other = [
    write(9, 'delete', { by: 'virt-api' }),
    write(9, 'patch'),
    write(9, 'delete', { kind: 'Job' }),
  ]
  expect(recordedDelays({ steps: [step(1, [input(1)], [...refusedThenMade, ...other])] })).toEqual(
    [],
  )
})

test('virt-handler’s nulls delete, but for those inside arrays', () => {
  const before = { labels: { a: '1', b: '2' }, status: { conditions: [{ type: 'x' }], phase: 'A' } }
  const change = {
    labels: { a: null },
    status: { conditions: [{ type: 'y', lastProbeTime: null }], node: { name: 'n', old: null } },
  }
  expect(merged(before, change)).toEqual({
    labels: { b: '2' },
    status: {
      conditions: [{ type: 'y', lastProbeTime: null }],
      phase: 'A',
      node: { name: 'n' },
    },
  })
})
