import { expect, test } from 'vitest'
import { taintEviction } from '../../src/rules/taint-eviction.ts'

const NOW = Date.parse('2026-01-01T00:10:00Z')
const ADDED = Date.parse('2026-01-01T00:09:00Z')
const taint = (key: string, effect = 'NoExecute') => ({
  key,
  effect,
  timeAdded: '2026-01-01T00:09:00Z',
})
const unreachable = 'node.kubernetes.io/unreachable'

test.each<[string, object[], ReturnType<typeof taint>[], number | undefined]>([
  ['stays without a taint', [], [], undefined],
  ['stays where the taint only keeps others away', [], [taint('gpu', 'NoSchedule')], undefined],
  ['goes at once where it does not tolerate it', [], [taint('gpu')], NOW],
  ['stays where it tolerates it', [{ key: 'gpu', operator: 'Exists' }], [taint('gpu')], undefined],
  [
    'stays for as long as it tolerates it',
    [{ key: 'gpu', operator: 'Exists', tolerationSeconds: 90 }],
    [taint('gpu')],
    ADDED + 90_000,
  ],
  ['is given five minutes when its node is silent', [], [taint(unreachable)], ADDED + 300_000],
  [
    'goes by the first of several',
    [{ key: 'gpu', operator: 'Exists', tolerationSeconds: 90 }],
    [taint('gpu'), taint(unreachable)],
    ADDED + 90_000,
  ],
])('a pod %s', (_, tolerations, taints, end) => {
  expect(taintEviction({ spec: { containers: [], tolerations } }, taints, NOW)).toBe(end)
})
