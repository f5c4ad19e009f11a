import { expect, test } from 'vitest'
import { ON_THE_WAY, seenByNode } from '../../../../src/lab/node/faults/relayed-port.ts'
import type { TcpSocket } from '../../../../src/lab/node/kernel-sockets.ts'

const NODE = '127.77.1.2'
const socket = (state: string, port: number, peer = { address: '127.0.0.1', port: 50_000 }) =>
  ({ state, local: { address: NODE, port }, peer }) as TcpSocket

test('the node sees its connections at the port that is published, and nothing of what is on the way', () => {
  const relayed = [{ port: 40_001, real: 35_001, unblock() {}, close() {} }]
  const seen = seenByNode(
    [
      socket('LISTEN', 40_001),
      socket('LISTEN', 35_001),
      socket('ESTAB', 40_001),
      socket('ESTAB', 35_001),
      socket('ESTAB', 40_001, { address: ON_THE_WAY, port: 50_001 }),
      socket('LISTEN', 35_002),
    ],
    relayed,
  )
  expect(seen.map(({ state, local }) => `${state} ${local.port}`)).toEqual([
    'LISTEN 40001',
    'ESTAB 40001',
    'LISTEN 35002',
  ])
})
