import { describe, expect, test } from 'vitest'
import type { Vmi } from '../../src/kubevirt/types.ts'
import {
  type ConvergenceStep,
  type CopyLimits,
  type CopyWatch,
  convergenceStep,
  copyLimits,
  startWatching,
  watched,
} from '../../src/rules/convergence.ts'

const strict: CopyLimits = {
  completionSeconds: 300,
  progressSeconds: 150,
  allowPostCopy: false,
  allowWorkloadDisruption: false,
}
const disrupting = { ...strict, allowWorkloadDisruption: true }
const postCopy = { ...disrupting, allowPostCopy: true }

/** At second `at` of a copy that last got on at second `progress`. */
function step(limits: CopyLimits, at: number, progress = at, mode: CopyWatch['mode'] = 'PreCopy') {
  const watch = { startedAt: 0, progressAt: progress * 1000, remainingBytes: 1, mode }
  return convergenceStep(watch, limits, at * 1000)
}

test.each<[string, ConvergenceStep, ConvergenceStep]>([
  ['goes on in time', step(strict, 300), { step: 'none' }],
  ['is aborted after its time', step(strict, 301), aborted('not-completed', 301)],
  ['is aborted when it stands still', step(strict, 160, 9), aborted('stuck', 151)],
  ['stands still no longer than allowed', step(strict, 159, 9), { step: 'none' }],
  ['has no deadline with 0', step({ ...strict, completionSeconds: 0 }, 9e6), { step: 'none' }],
  ['is finished by post-copy where allowed', step(postCopy, 301), { step: 'post-copy' }],
  ['is let alone in post-copy', step(postCopy, 9e6, 0, 'PostCopy'), { step: 'none' }],
  ['has its guest paused where allowed', step(disrupting, 301), { step: 'pause' }],
  ['has twice the time when paused', step(disrupting, 600, 600, 'Paused'), { step: 'none' }],
  ['ends even so', step(disrupting, 601, 601, 'Paused'), aborted('not-completed', 601)],
])('a copy that takes its time %s', (_, actual, expected) => {
  expect(actual).toEqual(expected)
})

test('progress is that less remains than at the last look, not than ever', () => {
  let watch = startWatching(0)
  for (const [at, remaining] of [
    [1, 100],
    [2, 120],
    [3, 110],
    [4, 110],
  ] as const) {
    watch = watched(watch, remaining, at * 1000)
  }
  expect(watch.progressAt).toBe(3000)
})

describe('the deadline', () => {
  const vmi = (guest: string): Vmi => ({
    metadata: { name: 'vm' },
    spec: { domain: { memory: { guest } } },
  })
  test.each([
    ['64Mi', 0, 150],
    ['1Gi', 0, 300],
    ['2Gi', 0, 450],
    ['8Gi', 0, 1350],
    ['64Gi', 0, 69 * 150],
    ['1Gi', 1e9, 450],
  ])('of %s and %d bytes of local disk is %d s', (guest, disk, seconds) => {
    expect(copyLimits({}, vmi(guest), disk).completionSeconds).toBe(seconds)
  })

  test('disruption follows post-copy unless it is set; numbers may come as text', () => {
    const configuration = {
      allowPostCopy: true,
      completionTimeoutPerGiB: '10',
      progressTimeout: '7',
    }
    expect(copyLimits(configuration, vmi('1Gi'))).toEqual({
      completionSeconds: 20,
      progressSeconds: 7,
      allowPostCopy: true,
      allowWorkloadDisruption: true,
    })
    expect(
      copyLimits({ ...configuration, allowWorkloadDisruption: false }, vmi('1Gi'))
        .allowWorkloadDisruption,
    ).toBe(false)
  })
})

function aborted(reason: 'stuck' | 'not-completed', afterSeconds: number): ConvergenceStep {
  return { step: 'abort', reason, afterSeconds }
}
