import { describe, expect, test } from 'vitest'
import type { Condition, Vm, Vmi } from '../../src/kubevirt/types.ts'
import { vmFailure } from '../../src/rules/vm-failure.ts'
import { openRequests, runStep } from '../../src/rules/vm-run.ts'
import { startDelay, startFailureOf } from '../../src/rules/vm-start-failure.ts'
import { printableStatus, vmConditions } from '../../src/rules/vm-status.ts'
import { needsRecovery, volumeRecovery } from '../../src/rules/vm-volume-recovery.ts'
import { condition, vmi } from './objects.ts'

const NOW = Date.parse('2026-01-01T00:01:00Z')

const vm = (spec: object = {}, status: Vm['status'] = {}, metadata: object = {}): Vm => ({
  metadata: { name: 'vm-1', namespace: 'demo', ...metadata },
  spec: { runStrategy: 'Always', ...spec },
  status,
})
const ended = (phase: string) => vmi({ status: { phase } })
const deleted = (of: Vmi): Vmi => ({
  ...of,
  metadata: { ...of.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
})
const start = { action: 'Start' }
const stop = { action: 'Stop', uid: 'uid-vm-1' }

describe('what is to be done', () => {
  test.each<[string, NonNullable<Vm['status']>, Vmi | undefined, string]>([
    ['Always', {}, undefined, 'start'],
    ['Always', {}, vmi(), 'nothing'],
    ['Always', {}, ended('Succeeded'), 'stop'],
    ['Always', { stateChangeRequests: [stop] }, vmi(), 'stop'],
    ['WaitAsReceiver', {}, undefined, 'start'],
    ['RerunOnFailure', {}, undefined, 'start'],
    ['RerunOnFailure', { runStrategy: 'RerunOnFailure' }, undefined, 'nothing'],
    [
      'RerunOnFailure',
      { runStrategy: 'RerunOnFailure', stateChangeRequests: [start] },
      undefined,
      'start',
    ],
    ['RerunOnFailure', {}, ended('Failed'), 'rerun'],
    ['RerunOnFailure', {}, ended('Succeeded'), 'stop'],
    ['Once', {}, undefined, 'start'],
    ['Once', {}, ended('Failed'), 'nothing'],
    ['Manual', {}, undefined, 'nothing'],
    ['Manual', { stateChangeRequests: [start] }, undefined, 'start'],
    ['Manual', {}, ended('Failed'), 'nothing'],
    ['Manual', { stateChangeRequests: [stop] }, vmi(), 'stop'],
    ['Halted', {}, vmi(), 'stop'],
    ['Halted', { stateChangeRequests: [start] }, undefined, 'switch'],
  ])('with strategy %s, status %j and %o: %s', (runStrategy, status, of, step) => {
    expect(runStep(vm({ runStrategy }, status), of)).toBe(step)
  })

  test('with `running`, the old way to say it', () => {
    expect(runStep(vm({ runStrategy: undefined, running: true }), undefined)).toBe('start')
    expect(runStep(vm({ runStrategy: undefined, running: false }), vmi())).toBe('stop')
  })

  test('a request is open until it is done', () => {
    const requests = (first: object, of: Vmi | undefined) =>
      openRequests(vm({}, { stateChangeRequests: [first as typeof start, start] }), of).length
    expect(requests(stop, vmi())).toBe(2)
    expect(requests(stop, undefined)).toBe(1)
    expect(requests({ ...stop, uid: 'of an earlier one' }, vmi())).toBe(1)
    expect(requests(start, undefined)).toBe(2)
    expect(requests(start, deleted(vmi()))).toBe(2)
    expect(requests(start, vmi())).toBe(1)
  })
})

describe('a VM is shown as', () => {
  const starting = (...conditions: Condition[]) =>
    vmi({ status: { phase: 'Scheduling', conditions } })
  const started = { startTimestamp: '2026-01-01T00:00:00Z' }
  const failed = { startFailure: { consecutiveFailCount: 1 } }
  const failure = (reason: string) => starting(condition('Synchronized', 'False', reason))

  test.each<[string, Vm, Vmi | undefined, object?]>([
    ['Running', vm(), vmi()],
    ['Migrating', vm(), vmi({ status: { migrationState: started } })],
    [
      'Migrating',
      vm(),
      vmi({ status: { migrationState: started, conditions: [condition('Paused', 'True')] } }),
    ],
    ['Paused', vm(), vmi({ status: { conditions: [condition('Paused', 'True')] } })],
    ['Starting', vm(), starting()],
    ['Starting', vm(), undefined, { starting: true }],
    ['WaitingForReceiver', vm(), vmi({ status: { phase: 'WaitingForSync' } })],
    ['WaitingForVolumeBinding', vm(), starting(), { unbound: true }],
    ['Stopped', vm({ runStrategy: 'Halted' }), undefined, { unbound: true }],
    [
      'ErrorUnschedulable',
      vm(),
      starting(condition('PodScheduled', 'False', 'Unschedulable')),
      { unbound: true },
    ],
    ['ErrorPvcNotFound', vm(), failure('FailedPvcNotFound')],
    ['ErrImagePull', vm(), failure('ErrImagePull')],
    ['ImagePullBackOff', vm(), failure('ImagePullBackOff')],
    ['CrashLoopBackOff', vm({}, failed), undefined],
    ['Stopped', vm({ runStrategy: 'Halted' }, failed), undefined],
    ['Stopped', vm(), ended('Succeeded')],
    ['Stopping', vm(), deleted(vmi())],
    ['Terminating', vm({}, {}, { deletionTimestamp: 'x' }), vmi()],
  ])('%s', (status, of, its, more) => {
    const surroundings = { unbound: false, starting: false, now: NOW, ...more }
    expect(printableStatus(of, its, surroundings)).toBe(status)
  })
})

describe('its conditions', () => {
  const types = (conditions: Condition[]) => conditions.map(({ type }) => type)
  const its = vmi({
    status: { conditions: [condition('Ready', 'True'), condition('Paused', 'True')] },
  })
  const restart = condition('RestartRequired', 'True', undefined, 'first')

  test('are its own and those of its VMI', () => {
    expect(types(vmConditions(vm(), its, { restart }, NOW))).toEqual([
      'Ready',
      'RestartRequired',
      'Paused',
    ])
    expect(vmConditions(vm(), vmi({ status: { conditions: [] } }), {}, NOW)).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'VMIConditionMissing' },
    ])
  })

  test('outlive the VMI, but for the restart that was due', () => {
    const status = { conditions: [condition('LiveMigratable', 'True'), restart] }
    expect(vmConditions(vm({}, status), undefined, {}, NOW)).toMatchObject([
      { type: 'LiveMigratable' },
      { type: 'Ready', status: 'False', reason: 'VMINotExists' },
    ])
    expect(types(vmConditions(vm({}, status), its, {}, NOW))).toEqual([
      'RestartRequired',
      'Ready',
      'Paused',
    ])
  })

  test('say what failed, in the words that came first', () => {
    const failure = vmFailure('cpu', 'CPU hotplug is not allowed while VMI is migrating')
    const [, , said] = vmConditions(
      vm({}, { conditions: [condition('Ready', 'True'), condition('Paused', 'True')] }),
      its,
      { failure },
      NOW,
    )
    expect(said).toMatchObject({
      type: 'Failure',
      status: 'True',
      reason: 'HotPlugCPUError',
      message:
        'Error encountered while handling CPU change request: CPU hotplug is not allowed while VMI is migrating',
    })
    const later = vm({}, { conditions: [{ ...restart, type: 'Failure' }] })
    const again = vmConditions(later, its, { failure: { reason: '', message: 'second' } }, NOW)
    expect(again.find(({ type }) => type === 'Failure')?.message).toBe('first')
    expect(types(vmConditions(later, its, {}, NOW))).toEqual(['Ready', 'Paused'])
  })
})

describe('a guest that ends before it ran', () => {
  const early = (uid: string): Vmi => ({
    ...ended('Failed'),
    metadata: { name: 'vm-1', uid },
  })

  test('is tried again later and later, at most five minutes', () => {
    const first = startFailureOf(vm(), early('a'), NOW, 0)
    expect(first).toEqual({
      consecutiveFailCount: 1,
      lastFailedVMIUID: 'a',
      retryAfterTimestamp: '2026-01-01T00:01:10Z',
    })
    const of = vm({}, { startFailure: first! })
    expect(startDelay(of, NOW)).toBe(10_000)
    expect(startFailureOf(of, early('a'), NOW, 0)).toEqual(first)
    const delays = [2, 3, 5].map((count) => {
      const startFailure = { consecutiveFailCount: count - 1, lastFailedVMIUID: 'x' }
      const next = startFailureOf(vm({}, { startFailure }), early('y'), NOW, 0.999)
      return (Date.parse(next?.retryAfterTimestamp ?? '') - NOW) / 1000
    })
    expect(delays).toEqual([60, 135, 300])
  })

  test('counts no more once one has run, or nobody starts it again', () => {
    const of = vm({}, { startFailure: { consecutiveFailCount: 3 } })
    expect(startFailureOf(of, undefined, NOW, 0)).toEqual({ consecutiveFailCount: 3 })
    const transition = { phase: 'Running', phaseTransitionTimestamp: '2026-01-01T00:00:00Z' }
    const ran = vmi({ status: { phase: 'Failed', phaseTransitionTimestamps: [transition] } })
    expect(startFailureOf(of, ran, NOW, 0)).toBeUndefined()
    expect(startFailureOf(vm({ runStrategy: 'Manual' }), early('a'), NOW, 0)).toBeUndefined()
    expect(startDelay(vm(), NOW)).toBe(0)
  })
})

describe('a guest that is lost while its volumes are copied', () => {
  const claims = (claimName: string) => ({
    updateVolumesStrategy: 'Migration',
    template: { spec: { volumes: [{ name: 'root', persistentVolumeClaim: { claimName } }] } },
  })
  const migratedVolumes = [{ volumeName: 'root', sourcePVCInfo: { claimName: 'old' } }]
  const state = { volumeMigrationState: { migratedVolumes } }
  const moving = { volumeUpdateState: state, conditions: [condition('VolumesChange', 'True')] }
  const lost = {
    type: 'ManualRecoveryRequired',
    status: 'True',
    reason: 'VMI was removed or was final during the volume migration',
  }

  test('keeps its VM down', () => {
    const { conditions } = volumeRecovery(vm(claims('new'), moving), ended('Failed'))
    expect(conditions).toContainEqual(lost)
    expect(needsRecovery(vm(claims('new'), { conditions }))).toBe(true)
    expect(needsRecovery(vm())).toBe(false)
  })

  test('until that names the old claims again', () => {
    const status = { ...moving, conditions: [...moving.conditions, condition(lost.type, 'True')] }
    expect(volumeRecovery(vm(claims('old'), status), undefined)).toEqual({
      state: {},
      conditions: [],
    })
  })

  test('is no matter once they are copied, or that was cancelled', () => {
    const copied = vm(claims('new'), { volumeUpdateState: state, conditions: [] })
    expect(volumeRecovery(copied, undefined)).toEqual({ state, conditions: [] })
    const reason = 'VolumesChangeCancellation'
    const cancelled = vmi({
      status: { conditions: [condition('VolumesChange', 'False', reason)] },
    })
    expect(volumeRecovery(vm(claims('new'), moving), cancelled).state).toEqual({})
  })
})
