import { describe, expect, test } from 'vitest'
import type { Pod } from '../../src/kubevirt/types.ts'
import { abortOf } from '../../src/rules/abort.ts'
import { type Observed, transitionOf } from '../../src/rules/transitions.ts'
import { condition, launcher, migration, vmi } from './objects.ts'

const running: Pod = launcher('target')
running.status = {
  phase: 'Running',
  containerStatuses: [{ name: 'compute', ready: false, state: { running: {} } }],
}
const starting = launcher('target', { phase: 'Pending' })
const own = { migrationUid: 'uid-m', sourceNode: 'node-1', targetNode: 'node-2' }

function next(phase: string, observed: Partial<Observed> & { deleting?: boolean } = {}) {
  const { deleting, ...rest } = observed
  const metadata = deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}
  return transitionOf({
    migration: migration('m', { phase, metadata }),
    vmi: vmi(),
    targetPod: undefined,
    ...rest,
  })
}
const withState = (state: object, conditions = [condition('LiveMigratable', 'True')]) =>
  vmi({ status: { migrationState: state, conditions } })
const busy = migration('busy', { phase: 'Running' })

describe('one step at a time', () => {
  test.each<[string, Partial<Observed>, object]>([
    ['', {}, { kind: 'advance', to: 'Pending' }],
    ['Pending', {}, { kind: 'stay', waitsFor: 'target-pod' }],
    ['Pending', { targetPod: starting }, { kind: 'advance', to: 'Scheduling' }],
    ['Scheduling', { targetPod: starting }, { kind: 'stay', waitsFor: 'target-pod-ready' }],
    ['Scheduling', { targetPod: running }, { kind: 'advance', to: 'Scheduled' }],
    ['Scheduled', { targetPod: running }, { kind: 'stay', waitsFor: 'hand-off' }],
    [
      'Scheduled',
      { targetPod: running, vmi: withState(own) },
      { kind: 'advance', to: 'PreparingTarget' },
    ],
    [
      'PreparingTarget',
      { targetPod: running, vmi: withState(own) },
      { kind: 'stay', waitsFor: 'target-address' },
    ],
    [
      'PreparingTarget',
      { targetPod: running, vmi: withState({ ...own, targetNodeAddress: '10.0.0.2' }) },
      { kind: 'advance', to: 'TargetReady' },
    ],
    [
      'TargetReady',
      { targetPod: running, vmi: withState({ ...own, startTimestamp: 'now' }) },
      { kind: 'advance', to: 'Running' },
    ],
    [
      'Running',
      { targetPod: running, vmi: withState(own) },
      { kind: 'stay', waitsFor: 'copy-end' },
    ],
    [
      'Running',
      { targetPod: running, vmi: withState({ ...own, completed: true }) },
      { kind: 'succeed' },
    ],
    [
      'Running',
      {
        targetPod: running,
        vmi: withState({ ...own, completed: true }, [condition('HotVCPUChange', 'True')]),
      },
      { kind: 'stay', waitsFor: 'hotplug' },
    ],
    ['Succeeded', { vmi: undefined }, { kind: 'final' }],
  ])('%s', (phase, observed, transition) => {
    expect(next(phase, observed)).toEqual(transition)
  })

  test('a hotplugged disk has to follow into the target before Scheduling', () => {
    const hotplug = vmi({ status: { volumeStatus: [{ name: 'd', hotplugVolume: {} }] } })
    const observed = { vmi: hotplug, targetPod: running }
    expect(next('Pending', observed)).toEqual({ kind: 'stay', waitsFor: 'attachment-pod' })
    expect(next('Pending', { ...observed, attachmentPod: running })).toEqual({
      kind: 'advance',
      to: 'Scheduling',
    })
  })

  test('the half of a migration between clusters waits for its peer', () => {
    const half = migration('m')
    half.spec.receive = { migrationID: 'a' }
    expect(transitionOf({ migration: half, vmi: vmi(), targetPod: undefined })).toEqual({
      kind: 'advance',
      to: 'WaitingForSync',
    })
  })
})

describe('the first cause of failure is told', () => {
  const dead = launcher('target', { phase: 'Failed' })
  test.each<[string, string, Parameters<typeof next>[1]]>([
    ['vmi-missing', 'Running', { vmi: undefined }],
    ['vmi-ended', 'Running', { vmi: vmi({ status: { phase: 'Failed' } }), targetPod: dead }],
    ['canceled', 'Scheduling', { deleting: true, targetPod: dead }],
    ['target-pod-ended', 'PreparingTarget', { vmi: withState(own), targetPod: dead }],
    ['target-pod-removed', 'Scheduling', {}],
    ['state-cleared', 'TargetReady', { targetPod: running }],
    [
      'state-taken-over',
      'Running',
      { targetPod: running, vmi: withState({ migrationUid: 'uid-else' }) },
    ],
    ['copy-failed', 'Running', { targetPod: running, vmi: withState({ ...own, failed: true }) }],
    ['not-eligible', '', { slotOwner: busy, vmi: withState({ migrationUid: 'uid-busy' }) }],
    ['attachment-pod-ended', 'Scheduling', { targetPod: running, attachmentPod: dead }],
  ])('%s', (cause, phase, observed) => {
    expect(next(phase, observed)).toMatchObject({ kind: 'fail', cause })
  })

  test('after hand-off a deletion only asks for an abort, once', () => {
    const observed = { targetPod: running, vmi: withState(own), deleting: true }
    expect(next('PreparingTarget', observed)).toEqual({ kind: 'request-abort' })
    const asked = migration('m', {
      phase: 'PreparingTarget',
      metadata: { deletionTimestamp: 'now' },
      status: { conditions: [condition('migrationAbortRequested', 'True')] },
    })
    expect(transitionOf({ migration: asked, vmi: withState(own), targetPod: running })).toEqual({
      kind: 'stay',
      waitsFor: 'target-address',
    })
  })

  test('a hand-off that the VMI does not show yet counts', () => {
    expect(next('Scheduled', { targetPod: running, handedOff: true, deleting: true })).toEqual({
      kind: 'request-abort',
    })
  })

  test('an ended migration that still owns the slot is in nobody’s way', () => {
    const slotOwner = migration('done', { phase: 'Failed' })
    expect(next('', { slotOwner })).toEqual({ kind: 'advance', to: 'Pending' })
  })
})

test.each([
  ['Scheduling', false, { effect: 'immediate' }],
  ['Scheduled', false, { effect: 'immediate' }],
  ['Scheduled', true, { effect: 'deferred', until: 'Running' }],
  ['TargetReady', true, { effect: 'deferred', until: 'Running' }],
  ['Running', true, { effect: 'requested' }],
  ['Succeeded', true, { effect: 'history' }],
])('a cancel in %s (handed off: %s) is %j', (phase, handedOff, decision) => {
  expect(abortOf(migration('m', { phase }), handedOff)).toEqual(decision)
})
