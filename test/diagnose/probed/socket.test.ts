import { expect, test } from 'vitest'
import { judgeSocket } from '../../../src/diagnose/probed/socket.ts'
import type { SocketSighting } from '../../../src/probe/local-socket.ts'

const SOURCE = '/run/m/migrationproxy/uid-source.sock'
const LIBVIRT = '/run/libvirt/virtqemud-sock'

function seen(more: Partial<SocketSighting> = {}): SocketSighting {
  const path = more.path ?? SOURCE
  const length = path.length
  return { path, length, kind: 'socket', mode: 0o755, uid: 107, gid: 107, listed: true, ...more }
}

function told(more: Partial<SocketSighting>): string[] {
  return judgeSocket(seen(more)).findings.map(
    ({ status, code, title }) => `${status} ${code} ${title}`,
  )
}

test('a socket that is listened on and that QEMU may connect to is well', () => {
  expect(told({})).toEqual([`pass MIG0010 A process listens on ${SOURCE}`])
  expect(told({ listed: false, connected: 'accepted' })).toEqual(told({}))
  expect(judgeSocket(seen()).stage).toBe('live')
})

test("one that is missing is libvirt's or the proxy's, by its name", () => {
  const absent = { kind: 'absent', trouble: 'no such file' } as const
  expect(told(absent)).toEqual([`fail MIG5009 There is no socket ${SOURCE}: no such file`])
  expect(told({ ...absent, path: LIBVIRT })).toEqual([
    `fail MIG5004 There is no socket ${LIBVIRT}: no such file`,
  ])
})

test('one that refuses is stale', () => {
  const probed = judgeSocket(seen({ listed: false, connected: 'refused' }))
  expect(probed.stage).toBe('stale')
  expect(probed.findings).toMatchObject([{ code: 'MIG5009', status: 'fail' }])
})

test('a listener of another network namespace is not to be seen: no false pass', () => {
  const [found] = judgeSocket(seen({ listed: false })).findings
  expect(found).toMatchObject({ code: 'MIG0008', status: 'unknown' })
  expect(found.remedy.map(({ text }) => text).join()).toContain('--connect')
  // Not to a data channel, where QEMU may take it for a stream.
  const path = '/run/m/migrationproxy/uid-49152-source.sock'
  const [data] = judgeSocket(seen({ path, listed: false })).findings
  expect(data.remedy.map(({ text }) => text).join()).not.toContain('--connect')
})

test.each([
  [{ uid: 107, mode: 0o755 }, true],
  [{ uid: 107, mode: 0o555 }, false],
  [{ uid: 0, mode: 0o755 }, false],
  [{ uid: 0, mode: 0o775 }, true],
  [{ uid: 0, gid: 0, mode: 0o777 }, true],
])('%j: QEMU may connect: %s', (owner, may) => {
  expect(told(owner).some((line) => line.startsWith('fail MIG5007 QEMU'))).toBe(!may)
})

test("libvirt's own is not QEMU's to connect to", () => {
  expect(told({ path: LIBVIRT, uid: 0, mode: 0o700 })).toEqual([
    `pass MIG0010 A process listens on ${LIBVIRT}`,
  ])
})

test.each([
  [{ kind: 'other' }, `fail MIG5007 ${SOURCE} is no socket`],
  [
    { kind: 'unseen', trouble: 'permission denied' },
    `unknown MIG0008 ${SOURCE} can't be looked at: permission denied`,
  ],
  [
    { kind: 'absent', trouble: 'no such file', length: 108 },
    'fail MIG5007 The path is too long for a unix socket: 108 bytes, at most 107 fit',
  ],
] as const)('%j: %s', (more, line) => {
  expect(told(more)[0]).toBe(line)
})
