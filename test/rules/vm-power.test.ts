import { describe, expect, test } from 'vitest'
import type { Vm, Vmi } from '../../src/kubevirt/types.ts'
import { type PowerOptions, type PowerVerb, powerOf, withPower } from '../../src/rules/vm-power.ts'
import { condition, vmi } from './objects.ts'

const vm = (runStrategy: string, status: Vm['status'] = {}): Vm => ({
  metadata: { name: 'vm-1', namespace: 'demo' },
  spec: { runStrategy },
  status,
})
const running = vmi()
const inPhase = (phase: string) => vmi({ status: { phase } })
const stop = { action: 'Stop', uid: 'uid-vm-1' }
const start = { action: 'Start' }

describe('what virt-api makes of a wish', () => {
  test.each<[PowerVerb, string, Vmi | undefined, object]>([
    ['start', 'Halted', undefined, { runStrategy: 'Always' }],
    ['start', 'Manual', undefined, { requests: [start] }],
    ['start', 'Manual', inPhase('Failed'), { requests: [stop, start] }],
    ['start', 'RerunOnFailure', inPhase('Succeeded'), { requests: [stop, start] }],
    ['stop', 'Always', running, { runStrategy: 'Halted' }],
    ['stop', 'Once', undefined, { runStrategy: 'Halted' }],
    ['stop', 'Manual', running, { requests: [stop] }],
    ['stop', 'RerunOnFailure', running, { requests: [stop] }],
    ['restart', 'Always', running, { requests: [stop, start] }],
    ['restart', 'Manual', running, { requests: [stop, start] }],
  ])('%s of one that is %s', (verb, strategy, its, expected) => {
    expect(powerOf(verb, vm(strategy), its, {})).toEqual({ ok: true, ...expected })
  })

  test.each<[PowerVerb, string, Vmi | undefined, PowerOptions, number, string]>([
    ['start', 'Always', running, {}, 409, 'VM is already running'],
    ['start', 'Always', undefined, {}, 409, 'Always does not support manual start requests'],
    ['start', 'Once', undefined, {}, 409, 'Once does not support manual start requests'],
    [
      'start',
      'RerunOnFailure',
      inPhase('Failed'),
      {},
      409,
      'RerunOnFailure does not support starting VM from failed state',
    ],
    ['stop', 'Halted', undefined, {}, 409, 'VM is not running'],
    ['stop', 'Manual', inPhase('Succeeded'), {}, 409, 'VM is not running'],
    [
      'stop',
      'Halted',
      running,
      { gracePeriod: 10 },
      409,
      'Halted only supports manual stop requests with a shorter graceperiod',
    ],
    [
      'restart',
      'Halted',
      running,
      {},
      409,
      'RunStategy Halted does not support manual restart requests',
    ],
    ['restart', 'Always', undefined, {}, 409, 'VM is not running: Halted'],
    [
      'restart',
      'Always',
      running,
      { gracePeriodSeconds: 5 },
      400,
      'For force restart, only gracePeriod=0 is supported for now',
    ],
    [
      'restart',
      'Always',
      running,
      { gracePeriodSeconds: -1 },
      400,
      'gracePeriod has to be greater or equal to 0',
    ],
  ])('%s of one that is %s is refused', (verb, strategy, its, options, code, message) => {
    expect(powerOf(verb, vm(strategy), its, options)).toEqual({ ok: false, code, message })
  })

  test('the grace goes to the VMI that runs', () => {
    const patient = vmi({ spec: { terminationGracePeriodSeconds: 60 } })
    expect(powerOf('stop', vm('Halted'), patient, { gracePeriod: 0 })).toEqual({
      ok: true,
      requests: [stop],
      grace: 0,
    })
    expect(powerOf('stop', vm('Always'), patient, { gracePeriod: 5 })).toMatchObject({ grace: 5 })
    expect(powerOf('stop', vm('Always'), undefined, { gracePeriod: 5 })).not.toHaveProperty('grace')
    const forced = powerOf('restart', vm('Always'), patient, { gracePeriodSeconds: 0 })
    expect(forced).toMatchObject({ requests: [stop, start], grace: 1 })
  })

  test('one thing at a time, but a stop goes first', () => {
    const busy = vm('Manual', { stateChangeRequests: [start] })
    const message = 'unable to complete request: stop/start already underway'
    expect(powerOf('restart', busy, running, {})).toEqual({ ok: false, code: 500, message })
    expect(powerOf('stop', busy, running, {})).toEqual({ ok: true, requests: [stop] })
  })

  test('not while its volumes are not where they should be', () => {
    const lost = vm('Halted', { conditions: [condition('ManualRecoveryRequired', 'True')] })
    const moving = vm('Always', { conditions: [condition('VolumesChange', 'True')] })
    for (const answer of [
      powerOf('start', lost, undefined, {}),
      powerOf('restart', moving, running, {}),
    ])
      expect(answer).toMatchObject({
        code: 409,
        message: expect.stringMatching(/^VM recovery required: Volume migration/),
      })
  })

  test('a guest that is to stand still at first is asked for', () => {
    const data = { paused: 'true' }
    expect(powerOf('start', vm('Halted'), undefined, { paused: true })).toEqual({
      ok: true,
      requests: [{ ...start, data }],
    })
  })
})

test('the old way to say that a VM runs stays in use, and a start that had failed is forgotten', () => {
  const old: Vm = { metadata: { name: 'vm-1' }, spec: { running: true } }
  expect(withPower(old, { ok: true, runStrategy: 'Halted' }).spec).toEqual({ running: false })
  expect(withPower(vm('Always'), { ok: true, runStrategy: 'Halted' }).spec).toEqual({
    runStrategy: 'Halted',
  })
  const failing = vm('Manual', { startFailure: { consecutiveFailCount: 3 } })
  expect(withPower(failing, { ok: true, requests: [start] }).status).toEqual({
    stateChangeRequests: [start],
  })
})
