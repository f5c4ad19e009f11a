import { PassThrough, type Readable, type Writable } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Outcome } from './container-commands.ts'
import { type SpdyStream, serveSpdy } from './spdy/connection.ts'
import {
  acceptSpdy,
  acceptWebSocket,
  isSpdy,
  isWebSocket,
  offeredProtocols,
  refuseUpgrade,
  type UpgradeRequest,
} from './upgrades.ts'

/** Runs a command; its input ends when the client's does. */
export type RunCommand = (argv: readonly string[], stdin: Readable) => Promise<Outcome>

/** The channels of a remote command: the first byte of each WebSocket message (`v5.channel.k8s.io`). */
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const
/** Over WebSocket; in the fifth the client can end its input. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io']
const SPDY_PROTOCOL = 'v4.channel.k8s.io'

/** `exec`: a command in a container, over SPDY (kubectl up to 1.30, and every API server) or WebSocket. */
export async function serveExec(
  call: UpgradeRequest,
  query: URLSearchParams,
  command: RunCommand,
): Promise<void> {
  const { request, socket } = call
  const offered = offeredProtocols(request)
  const argv = query.getAll('command')
  if (isSpdy(request)) {
    if (!offered.includes(SPDY_PROTOCOL))
      return refuseUpgrade(socket, 403, 'Forbidden', cannotAgree(offered, [SPDY_PROTOCOL]))
    const wanted = ['input', 'output', 'error'].filter((name) => query.get(name) === '1')
    return overSpdy(call, ['error', ...wanted.map((name) => STREAM[name] ?? '')], argv, command)
  }
  const protocol = PROTOCOLS.find((one) => offered.includes(one))
  if (!isWebSocket(request) || !protocol)
    return refuseUpgrade(socket, 400, 'Bad Request', cannotAgree(offered, PROTOCOLS))
  await overWebSocket(await acceptWebSocket(call, protocol), argv, command)
}

/** The query's names for what SPDY's streams are called. */
const STREAM: Record<string, string> = { input: 'stdin', output: 'stdout', error: 'stderr' }

function cannotAgree(offered: string[], accepted: string[]): string {
  return `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${accepted.join(' ')}]`
}

function overSpdy(
  call: UpgradeRequest,
  wanted: string[],
  argv: string[],
  command: RunCommand,
): void {
  const streams = new Map<string, SpdyStream>()
  const transport = acceptSpdy(call, SPDY_PROTOCOL)
  serveSpdy(transport, (stream) => {
    const name = stream.headers['streamtype'] ?? ''
    const isNew = !streams.has(name)
    streams.set(name, stream)
    if (name !== 'stdin') stream.resume()
    if (!isNew || !wanted.every((one) => streams.has(one)) || !wanted.includes(name)) return
    const stdin = streams.get('stdin') ?? empty()
    void finished(command, argv, stdin).then(async ({ stdout, stderr, status }) => {
      const last = [
        ['stdout', stdout],
        ['stderr', stderr],
        ['error', JSON.stringify(status)],
      ] as const
      for (const [name, text] of last) await ended(streams.get(name), text)
      stdin.resume()
      streams.get('stdin')?.end()
      transport.end()
    })
  })
}

/** The stream's last text, handed to the connection. */
function ended(stream: Writable | undefined, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (!stream || stream.destroyed) return resolve()
    stream.once('close', resolve)
    stream.end(text, resolve)
  })
}

async function overWebSocket(
  socket: WebSocket,
  argv: string[],
  command: RunCommand,
): Promise<void> {
  const stdin = new PassThrough()
  socket.on('message', (data: Buffer) => {
    if (data[0] === CHANNEL.stdin) stdin.write(data.subarray(1))
    if (data[0] === CHANNEL.close && data[1] === CHANNEL.stdin) stdin.end()
  })
  socket.on('error', () => socket.terminate())
  socket.once('close', () => stdin.end())
  const send = (channel: number, text: string) =>
    socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]))
  const { stdout, stderr, status } = await finished(command, argv, stdin)
  if (stdout !== '') send(CHANNEL.stdout, stdout)
  if (stderr !== '') send(CHANNEL.stderr, stderr)
  send(CHANNEL.error, JSON.stringify(status))
  stdin.resume()
  socket.close(1000)
}

function empty(): Readable {
  return new PassThrough().end()
}

/** How it ended, with the status that a client is told. */
async function finished(command: RunCommand, argv: string[], stdin: Readable) {
  const { stdout, stderr, code } = await command(argv, stdin).catch((err: unknown) => ({
    stdout: '',
    stderr: `${err}\n`,
    code: 1,
  }))
  const result = code === 0 ? { status: 'Success' } : failure(code)
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, ...result }
  return { stdout, stderr, status }
}

function failure(code: number) {
  return {
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  }
}
