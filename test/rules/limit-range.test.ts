import { describe, expect, test } from 'vitest'
import type { Pod } from '../../src/kubevirt/types.ts'
import {
  admitByLimitRange,
  type LimitRange,
  type LimitRangeItem,
  withLimitRangeDefaults,
} from '../../src/rules/limit-range.ts'

const range = (...limits: Partial<LimitRangeItem>[]): LimitRange => ({
  metadata: { name: 'range' },
  spec: { limits: limits.map((item) => ({ type: 'Container', ...item })) },
})
const pod = (
  requests: Record<string, string> = {},
  limits: Record<string, string> = {},
  initContainers: Pod['spec']['initContainers'] = undefined,
): Pod => ({
  metadata: { name: 'p' },
  spec: {
    containers: [{ name: 'c', resources: { requests, limits } }],
    ...(initContainers ? { initContainers } : {}),
  },
})

describe('a container that names nothing gets', () => {
  test('the range’s defaults, and the pod a note of them', () => {
    const init = [{ name: 'i', resources: { requests: { cpu: '1m' } } }]
    const made = withLimitRangeDefaults(pod({ memory: '1Gi' }, {}, init), [
      range({ default: { cpu: '1' }, defaultRequest: { cpu: '100m', memory: '64Mi' } }),
    ])
    expect(made.spec.containers[0]?.resources).toEqual({
      requests: { cpu: '100m', memory: '1Gi' },
      limits: { cpu: '1' },
    })
    expect(made.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu request for container c; cpu limit for container c; memory request for init container i; cpu limit for init container i',
    })
  })

  test.each([
    ['the maximum as its limit and request', { max: { cpu: '2' } }, { cpu: '2' }, { cpu: '2' }],
    ['the minimum as its request', { min: { cpu: '1m' } }, { cpu: '1m' }, {}],
    [
      'the default limit as its request',
      { max: { cpu: '2' }, default: { cpu: '1' } },
      { cpu: '1' },
      { cpu: '1' },
    ],
  ])('%s', (_, item, requests, limits) => {
    const made = withLimitRangeDefaults(pod(), [range(item)])
    expect(made.spec.containers[0]?.resources).toEqual({ requests, limits })
  })

  test('nothing where it names all, or the range is for other things', () => {
    const full = pod({ cpu: '1' }, { cpu: '1' })
    expect(withLimitRangeDefaults(full, [range({ max: { cpu: '2' } })])).toBe(full)
    expect(withLimitRangeDefaults(pod(), [range({ type: 'Pod', max: { cpu: '2' } })])).toEqual(
      pod(),
    )
  })
})

describe('a range refuses', () => {
  test.each<[string, Partial<LimitRangeItem>, Pod]>([
    [
      'maximum memory usage per Container is 1Gi, but limit is 2Gi',
      { max: { memory: '1Gi' } },
      pod({}, { memory: '2Gi' }),
    ],
    [
      'maximum memory usage per Container is 1Gi.  No limit is specified',
      { max: { memory: '1Gi' } },
      pod(),
    ],
    [
      'maximum memory usage per Container is 1Gi, but request is 2Gi',
      { max: { memory: '1Gi' } },
      pod({ memory: '2Gi' }, { memory: '1Gi' }),
    ],
    [
      'minimum cpu usage per Container is 100m, but request is 50m',
      { min: { cpu: '100m' } },
      pod({ cpu: '50m' }),
    ],
    [
      'minimum cpu usage per Container is 100m.  No request is specified',
      { min: { cpu: '100m' } },
      pod(),
    ],
    [
      'minimum cpu usage per Container is 100m, but limit is 50m',
      { min: { cpu: '100m' } },
      pod({ cpu: '100m' }, { cpu: '50m' }),
    ],
    [
      'cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000',
      { maxLimitRequestRatio: { cpu: '2' } },
      pod({ cpu: '100m' }, { cpu: '400m' }),
    ],
    [
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
      { maxLimitRequestRatio: { cpu: '2' } },
      pod({}, { cpu: '1' }),
    ],
    [
      'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
      { maxLimitRequestRatio: { cpu: '2' } },
      pod({ cpu: '1' }),
    ],
    [
      'maximum cpu usage per Pod is 1, but limit is 2',
      { type: 'Pod', max: { cpu: '1' } },
      pod({}, { cpu: '2' }),
    ],
  ])('%s', (message, item, of) => {
    expect(admitByLimitRange(of, [range(item)])).toEqual({
      admit: false,
      violations: [message],
      message,
    })
  })

  test('with all reasons at once', () => {
    const decision = admitByLimitRange(pod({ cpu: '1m' }, { cpu: '3' }), [
      range({ min: { cpu: '10m' }, max: { cpu: '2' } }),
    ])
    expect(!decision.admit && decision.message).toBe(
      '[minimum cpu usage per Container is 10m, but request is 1m, maximum cpu usage per Container is 2, but limit is 3]',
    )
  })

  test('nothing that is within', () => {
    const within = pod({ cpu: '1' }, { cpu: '2' })
    const item = { min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '2' } }
    expect(admitByLimitRange(within, [range(item)])).toEqual({ admit: true })
  })
})
