import { describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { exec } from '../../src/cluster/exec.ts'
import { connectTo } from './server.ts'
import { message, serveWebSockets } from './web-socket-server.ts'

const { signal } = new AbortController()
const AT = { namespace: 'kubevirt', pod: 'virt-handler-x', container: 'virt-handler' }
const SUCCESS = JSON.stringify({ kind: 'Status', status: 'Success' })
const failed = (code: number) =>
  JSON.stringify({
    kind: 'Status',
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  })

async function run(
  connected: (socket: WebSocket) => void,
  { protocol = 'v5.channel.k8s.io', timeoutMs = 5000, ends = signal } = {},
) {
  const api = await serveWebSockets({ protocol, connected })
  const cluster = await connectTo(
    api,
    { user: { token: 'secret' } },
    { asGroups: ['a', 'b'], as: 'me' },
  )
  const result = exec(cluster, AT, ['ss', '-tanH'], { signal: ends, timeoutMs })
  return { api, result }
}

test('the words of a command are sent one by one, with credentials; both outputs and the status come back', async () => {
  const { api, result } = await run((socket) => {
    socket.send(message(1, 'one '))
    socket.send(message(2, 'careful'))
    socket.send(message(1, 'two'))
    socket.send(message(3, SUCCESS))
  })
  expect(await result).toEqual({ stdout: 'one two', stderr: 'careful', code: 0 })
  expect(api.asked).toHaveLength(1)
  const [{ url, headers }] = api.asked as [(typeof api.asked)[0]]
  expect(url.pathname).toBe('/api/v1/namespaces/kubevirt/pods/virt-handler-x/exec')
  expect([...url.searchParams]).toEqual([
    ['container', 'virt-handler'],
    ['command', 'ss'],
    ['command', '-tanH'],
    ['stdout', 'true'],
    ['stderr', 'true'],
  ])
  expect(headers).toMatchObject({
    authorization: 'Bearer secret',
    'impersonate-user': 'me',
    'sec-websocket-protocol': 'v5.channel.k8s.io,v4.channel.k8s.io',
  })
})

test('an older server takes v4', async () => {
  const { result } = await run((socket) => socket.send(message(3, SUCCESS)), {
    protocol: 'v4.channel.k8s.io',
  })
  expect(await result).toMatchObject({ code: 0 })
})

test('a command that fails is no error: its exit status is told', async () => {
  const { result } = await run((socket) => socket.send(message(3, failed(2))))
  expect(await result).toMatchObject({ code: 2 })
})

test('a command that could not be started has no exit status, and a reason', async () => {
  const text = 'exec: "ss": executable file not found in $PATH'
  const { result } = await run((socket) =>
    socket.send(
      message(3, JSON.stringify({ status: 'Failure', reason: 'InternalError', message: text })),
    ),
  )
  expect(await result).toEqual({ stdout: '', stderr: text, code: undefined })
})

describe('what does not end well', () => {
  test('a connection that ends before the status rejects, instead of waiting for ever', async () => {
    const { result } = await run((socket) => {
      socket.send(message(1, 'half'))
      socket.close()
    })
    await expect(result).rejects.toThrow('the connection broke off before it ended')
  })

  test('a command that does not end in time', async () => {
    const { result } = await run(() => undefined, { timeoutMs: 60 })
    await expect(result).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: '"ss -tanH" in virt-handler-x did not end within 0.06s',
    })
  })

  test('an interruption', async () => {
    const controller = new AbortController()
    const reason = new Error('interrupted')
    const { result } = await run(() => controller.abort(reason), { ends: controller.signal })
    await expect(result).rejects.toBe(reason)
  })

  test('a refusal says what is not permitted, and is not repeated', async () => {
    const text =
      'pods "virt-handler-x" is forbidden: User "viewer" cannot get resource "pods/exec" in API group "" in the namespace "kubevirt"'
    const body = JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: text })
    const api = await serveWebSockets({
      protocol: '',
      refuse: (socket) =>
        socket.end(
          `HTTP/1.1 403 Forbidden\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        ),
    })
    const cluster = await connectTo(api)
    await expect(exec(cluster, AT, ['ss'], { signal, timeoutMs: 5000 })).rejects.toMatchObject({
      exit: 8,
      message: expect.stringContaining(
        'user "viewer" may not get pods/exec in namespace "kubevirt"',
      ),
    })
    expect(api.asked).toHaveLength(1)
  })

  test('a connection that breaks off while it is opened is not repeated: the command may run', async () => {
    const api = await serveWebSockets({ protocol: '', refuse: (socket) => socket.destroy() })
    const cluster = await connectTo(api)
    await expect(exec(cluster, AT, ['ss'], { signal, timeoutMs: 5000 })).rejects.toMatchObject({
      exit: 1,
    })
    expect(api.asked).toHaveLength(1)
  })
})
