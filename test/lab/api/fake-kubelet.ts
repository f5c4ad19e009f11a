import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createAuthority } from '../../../src/lab/certificates.ts'

/**
 * A kubelet of two paths: logs that say which query they were asked with, and commands: `cat` gives back what it is sent,
 * `fail` writes to stderr and exits 3, anything else is echoed.
 */
export async function startFakeKubelet(): Promise<number> {
  const notBefore = Date.now() - 60_000
  const notAfter = Date.now() + 3600_000
  const authority = await createAuthority('kubelet-ca', { notBefore, notAfter })
  const pair = await authority.issue({
    commonName: 'kubelet',
    usage: ['server'],
    names: ['127.0.0.1'],
    notBefore,
    notAfter,
  })
  const server = createServer({ ...pair, requestCert: true, rejectUnauthorized: false })
  server.on('request', (request, response) => {
    const url = new URL(request.url ?? '', 'https://kubelet')
    if (!url.pathname.startsWith('/containerLogs/')) return void response.writeHead(404).end()
    if (url.pathname.endsWith('/starting'))
      return void response.writeHead(400).end('container "starting" is waiting to start')
    response.write(`${url.pathname}${url.search}\n`)
    if (!url.searchParams.has('follow')) response.end()
    else setTimeout(() => response.end('later\n'), 50)
  })
  const sockets = new WebSocketServer({ server, handleProtocols: ([first]) => first ?? false })
  sockets.on('connection', (socket, request) => {
    const url = new URL(request.url ?? '', 'https://kubelet')
    run(socket, url.searchParams.getAll('command'))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

function run(socket: WebSocket, [command, ...args]: string[]): void {
  const send = (channel: number, text: string) =>
    socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]))
  const exit = (code: number) => {
    const status = code === 0 ? { status: 'Success' } : failure(code)
    send(3, JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, ...status }))
    socket.close(1000)
  }
  if (command === 'cat') {
    socket.on('message', (data: Buffer) => {
      if (data[0] === 0) send(1, data.subarray(1).toString())
      if (data[0] === 255) exit(0)
    })
  } else if (command === 'fail') {
    send(2, 'it failed\n')
    exit(3)
  } else {
    send(1, `${args.join(' ')}\n`)
    exit(0)
  }
}

function failure(code: number) {
  return {
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  }
}
