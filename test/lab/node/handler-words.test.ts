import { expect, test } from 'vitest'
import { handlerRecord } from '../../../src/lab/node/handler-words.ts'

const SOURCE = 'uid-source.sock'
const TARGET = '127.77.1.2:35001'

/** Fact sheet data-plane.md §2.7. */
test.each([
  ['tls-peer-plain', SOURCE, 'any', 'tls: first record does not look like a TLS handshake'],
  ['tls-hung-up', SOURCE, 'any', 'EOF'],
  [
    'tls-unknown-authority',
    SOURCE,
    'any',
    'could not verify peer certificate: x509: certificate signed by unknown authority',
  ],
  [
    'tls-unknown-authority',
    TARGET,
    'any',
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  ],
  [
    'tls-wrong-name',
    SOURCE,
    'common name is invalid, got CN-1, expected CN-2; ours is …',
    'common name is invalid, got CN-1',
  ],
  [
    'tls-not-valid-now',
    SOURCE,
    "certificate has expired or is not yet valid: the target's ended 2026-01-01T00:00:00Z, it is now 2026-01-02T00:00:00Z; ours is …",
    'could not verify peer certificate: x509: certificate has expired or is not yet valid: current time 2026-01-02T00:00:00Z is after 2026-01-01T00:00:00Z',
  ],
  ['tls-refused', SOURCE, 'any', 'remote error: tls: bad certificate'],
  [
    'dial-refused',
    SOURCE,
    'dial tcp 127.0.0.1:1: connect: connection refused',
    'dial tcp 127.0.0.1:1: connect: connection refused',
  ],
])('%s at %s', (code, listening, reason, wanted) => {
  const said = handlerRecord({ level: 'error', msg: 'm', listening, reason, code }, false)
  expect(said).toEqual({ level: 'error', msg: 'm', listening, reason: wanted })
})

test('a target whose certificate was disliked is told so by the alert', () => {
  const record = { level: 'error', msg: 'm', listening: TARGET, code: 'tls-hung-up' } as const
  expect(handlerRecord(record, true)?.reason).toBe('remote error: tls: bad certificate')
  expect(handlerRecord(record, false)?.reason).toBe('EOF')
})

test('what only our proxy notices, KubeVirt does not log', () => {
  expect(handlerRecord({ level: 'warning', msg: 'm', code: 'x' }, false)).toBeUndefined()
  expect(handlerRecord({ level: 'info', msg: 'm' }, false)).toEqual({ level: 'info', msg: 'm' })
})
