import { expect, test } from 'vitest'
import { connectionsOf } from '../../../../src/lab/node/guest/qemu/capabilities.ts'

test.each<[[number, number], boolean, number]>([
  [[7, 2], false, 8],
  [[7, 2], true, 0],
  [[10, 0], true, 0],
  [[10, 1], true, 8],
  [[11, 0], true, 8],
])('QEMU %j, with post-copy %s: %i further connections', (version, postCopy, expected) => {
  const settings = { bandwidth: 0, maxDowntimeMs: 300, autoConverge: false, connections: 8 }
  expect(connectionsOf({ ...settings, postCopy }, version)).toBe(expected)
})
