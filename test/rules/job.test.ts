import { expect, test } from 'vitest'
import type { Pod } from '../../src/kubevirt/types.ts'
import { type Job, jobStep } from '../../src/rules/job.ts'
import { recoveryJob, recoveryOf } from '../../src/rules/recovery-job.ts'

const NOW = Date.parse('2026-01-01T00:01:00Z')
const before = (seconds: number) => new Date(NOW - seconds * 1000).toISOString()

const job = (status: Job['status'] = {}): Job => ({
  ...recoveryJob({ metadata: { name: 'm', namespace: 'demo' }, spec: {} }, 'claim', 'image'),
  status,
})

function pod(phase: string, exitCode?: number): Pod {
  const terminated = exitCode === undefined ? undefined : { exitCode, finishedAt: before(1) }
  return {
    metadata: { name: `recover-m-${phase}`, namespace: 'demo' },
    spec: { containers: [] },
    status: {
      phase,
      ...(terminated && { containerStatuses: [{ name: 'container', state: { terminated } }] }),
    },
  }
}

test('a Job gets a pod, and one only', () => {
  const first = jobStep(job(), [], NOW)
  expect(first).toMatchObject({ create: true, again: 30_000 })
  expect(first.status?.startTime).toBe('2026-01-01T00:01:00Z')
  const second = jobStep(job(first.status), [pod('Running')], NOW + 1000)
  expect(second).toMatchObject({ create: false, again: 29_000, status: { active: 1 } })
  expect(jobStep(job(second.status), [pod('Running')], NOW + 2000).status).toBeUndefined()
})

test('it is complete when its pod has done its work', () => {
  const { status, told, create } = jobStep(
    job({ startTime: before(2) }),
    [pod('Succeeded', 0)],
    NOW,
  )
  expect(create).toBe(false)
  expect(told).toEqual({ type: 'Normal', reason: 'Completed', message: 'Job completed' })
  expect(status).toMatchObject({
    active: 0,
    succeeded: 1,
    completionTime: '2026-01-01T00:01:00Z',
    conditions: [
      { type: 'SuccessCriteriaMet', reason: 'CompletionsReached' },
      { type: 'Complete', status: 'True' },
    ],
  })
  expect(recoveryOf(job(status))).toEqual({ found: 'target' })
})

test('it has failed at once with an exit that its policy names, and after its limit with any other', () => {
  const started = job({ startTime: before(2) })
  const named = jobStep(started, [pod('Failed', 42)], NOW)
  expect(named.told).toEqual({
    type: 'Warning',
    reason: 'PodFailurePolicy',
    message:
      'Container container for pod demo/recover-m-Failed failed with exit code 42 matching FailJob rule at index 0',
  })
  expect(recoveryOf(job(named.status))).toEqual({ found: 'source' })
  const other = jobStep(started, [pod('Failed', 1)], NOW)
  expect(recoveryOf(job(other.status))).toEqual({
    found: 'error',
    message: 'Job has reached the specified backoff limit',
  })
})

test('what has not been done by its deadline is stopped', () => {
  const running = pod('Running')
  const { status, remove } = jobStep(job({ startTime: before(30) }), [running], NOW)
  expect(remove).toEqual([running])
  expect(recoveryOf(job(status))).toEqual({
    found: 'error',
    message: 'Job was active longer than specified deadline',
  })
})

test('one that may be tried again waits longer after each failure', () => {
  const { podFailurePolicy: _, activeDeadlineSeconds: __, ...spec } = job().spec
  const patient = (...pods: Pod[]) =>
    jobStep({ ...job({ startTime: before(9) }), spec: { ...spec, backoffLimit: 3 } }, pods, NOW)
  expect(patient(pod('Failed', 1))).toMatchObject({ create: false, again: 9000 })
  expect(patient(pod('Failed', 1), pod('Failed', 1))).toMatchObject({ again: 19_000 })
})

test('a Job that is over goes when its time has come, and gets no pod before', () => {
  const over = (seconds: number) => {
    const lastTransitionTime = before(seconds)
    const conditions = [{ type: 'Failed', status: 'True' as const, lastTransitionTime }]
    return jobStep(job({ conditions }), [], NOW)
  }
  expect(over(10)).toMatchObject({ create: false, expired: false, again: 20_000 })
  expect(over(30)).toMatchObject({ create: false, expired: true })
})
