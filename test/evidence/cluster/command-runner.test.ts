import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { createRunner } from '../../../src/evidence/cluster/command-runner.ts'
import type { Reader } from '../../../src/evidence/cluster/reader.ts'
import type { Gap } from '../../../src/evidence/evidence.ts'
import type { Pod } from '../../../src/kubevirt/types.ts'
import { connectTo as connection, LISTENERS, routeTo } from '../../../src/probe/commands.ts'
import { connectTo } from '../../cluster/server.ts'
import { message, serveWebSockets } from '../../cluster/web-socket-server.ts'

const POD: Pod = {
  metadata: { name: 'virt-handler-x', namespace: 'kubevirt' },
  spec: { containers: [] },
}
const PROTOCOL = 'v5.channel.k8s.io'

/** A cluster in which every command ends so. */
async function ending(code: number, { stdout = '', stderr = '' } = {}) {
  const status =
    code === 0
      ? { status: 'Success' }
      : {
          status: 'Failure',
          reason: 'NonZeroExitCode',
          details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
        }
  return running((socket) => {
    socket.send(message(1, stdout))
    socket.send(message(2, stderr))
    socket.send(message(3, JSON.stringify(status)))
  })
}

async function running(connected: (socket: WebSocket) => void) {
  const cluster = await connectTo(await serveWebSockets({ protocol: PROTOCOL, connected }))
  const gaps: Gap[] = []
  const reader = { gap: (gap: Gap) => void gaps.push(gap) } as Reader
  return { run: createRunner(cluster, reader, new AbortController().signal), gaps }
}

test('what a command says is read, with where it was said', async () => {
  const { run, gaps } = await ending(0, { stdout: 'LISTEN 0 4096 *:8443 *:*\n' })
  expect(await run(POD, LISTENERS)).toMatchObject({
    state: 'read',
    value: [{ local: { port: 8443 } }],
    from: 'pod/kubevirt/virt-handler-x',
  })
  expect(gaps).toEqual([])
})

test('a tool that is missing is a gap: which, and in which container', async () => {
  const { run, gaps } = await ending(127, { stderr: 'exec: "ss": executable file not found' })
  expect(await run(POD, LISTENERS)).toMatchObject({ state: 'unread' })
  expect(gaps).toEqual([
    {
      what: 'ss in virt-handler-x',
      why: 'unreadable',
      detail: 'container virt-handler of virt-handler-x has no ss',
    },
  ])
})

test('a runtime that does not even start it says the same', async () => {
  const text =
    'exec failed: unable to start container process: exec: "ss": executable file not found'
  const { run, gaps } = await running((socket) =>
    socket.send(
      message(3, JSON.stringify({ status: 'Failure', reason: 'InternalError', message: text })),
    ),
  )
  await run(POD, LISTENERS)
  expect(gaps).toMatchObject([{ detail: 'container virt-handler of virt-handler-x has no ss' }])
})

test('a container that is gone is no missing tool', async () => {
  const { run, gaps } = await running((socket) =>
    socket.send(
      message(
        3,
        JSON.stringify({ status: 'Failure', message: 'container not found ("virt-handler")' }),
      ),
    ),
  )
  await run(POD, LISTENERS)
  expect(gaps).toMatchObject([
    { detail: '"ss -ltnH" was not started: container not found ("virt-handler")' },
  ])
})

test('where failing is an answer, it is one', async () => {
  const none = await ending(2, { stderr: 'RTNETLINK answers: Network is unreachable' })
  expect(await none.run(POD, routeTo('10.9.0.2'))).toMatchObject({ state: 'read', value: 'none' })
  const refused = await ending(1, { stderr: 'bash: connect: Connection refused' })
  const over = await ending(124)
  const command = connection('10.9.0.2', 35001)
  expect(await refused.run(POD, command)).toMatchObject({ value: 'refused' })
  expect(await over.run(POD, command)).toMatchObject({ value: 'timed-out' })
  expect([none.gaps, refused.gaps, over.gaps]).toEqual([[], [], []])
})

test('any other failure is a gap with its first line', async () => {
  const { run, gaps } = await ending(1, { stderr: 'Cannot open netlink socket\nmore' })
  await run(POD, LISTENERS)
  expect(gaps).toMatchObject([
    { why: 'unreadable', detail: '"ss -ltnH" ended with 1: Cannot open netlink socket' },
  ])
})

test('so is a connection that breaks off', async () => {
  const { run, gaps } = await running((socket) => socket.terminate())
  expect(await run(POD, LISTENERS)).toMatchObject({ state: 'unread' })
  expect(gaps).toMatchObject([{ detail: expect.stringContaining('broke off') }])
})
