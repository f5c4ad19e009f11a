import type { WebSocket } from 'ws'
import { EXIT, MigError } from '../errors.ts'
import { PODS, pathOf } from '../kubevirt/resources.ts'
import type { Cluster } from './cluster.ts'
import { limitTime, TIME_IS_UP } from './time-limit.ts'

/** A container, as pods/exec and pods/log name it. */
export interface ContainerAddress {
  namespace: string
  pod: string
  container: string
}

/** How a command ended. */
export interface CommandResult {
  stdout: string
  stderr: string
  /** Its exit status; undefined when it was not even started, `stderr` then says why. */
  code: number | undefined
}

export interface ExecOptions {
  signal: AbortSignal
  /** ms from the request to the command's end. */
  timeoutMs: number
}

/** The first byte of each message; standard input (0) is not opened. */
const CHANNEL = { stdout: 1, stderr: 2, status: 3 } as const

/** v4 is in every release of Kubernetes that KubeVirt 1.0 runs on; v5 adds only that standard input can end. */
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io']

const LIMIT_BYTES = 8 * 1024 ** 2

/**
 * Runs a command in a container, without a shell, input or terminal.
 * @throws MigError: refused (8), no such pod (9), too slow, too much output, or cut off before the command's end (1)
 */
export async function exec(
  cluster: Cluster,
  { namespace, pod, container }: ContainerAddress,
  argv: readonly string[],
  { signal, timeoutMs }: ExecOptions,
): Promise<CommandResult> {
  const limit = limitTime(timeoutMs, [signal])
  try {
    const socket = await cluster.upgrade(
      {
        path: pathOf(PODS, { namespace, name: pod, subresource: 'exec' }),
        query: { container, command: argv, stdout: true, stderr: true },
        signal: limit.signal,
        timeoutMs: 0,
      },
      PROTOCOLS,
    )
    return await outputOf(socket, argv, limit.signal)
  } catch (err) {
    if (!limit.signal.aborted || limit.signal.reason !== TIME_IS_UP) throw err
    throw new MigError(
      EXIT.error,
      `"${argv.join(' ')}" in ${pod} did not end within ${timeoutMs / 1000}s`,
      { code: 'TIMEOUT' },
    )
  } finally {
    limit.end()
  }
}

/** Collects until the status comes. A connection that ends before it is an error: the command's end is not known. */
function outputOf(
  socket: WebSocket,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<CommandResult> {
  const { promise, resolve, reject } = Promise.withResolvers<CommandResult>()
  const output: Record<number, Buffer[]> = { [CHANNEL.stdout]: [], [CHANNEL.stderr]: [] }
  const textOf = (channel: number) => Buffer.concat(output[channel] ?? []).toString()
  let size = 0
  const fail = (why: string) => reject(new MigError(EXIT.error, `"${argv.join(' ')}": ${why}`))
  const abandon = () => reject(signal.reason)
  signal.addEventListener('abort', abandon, { once: true })
  socket.on('message', (data: Buffer) => {
    const [channel = -1] = data
    const content = data.subarray(1)
    size += content.length
    if (size > LIMIT_BYTES) fail(`more than ${LIMIT_BYTES} bytes of output`)
    else if (channel === CHANNEL.status)
      resolve({
        stdout: textOf(CHANNEL.stdout),
        ...endOf(content.toString(), textOf(CHANNEL.stderr)),
      })
    else output[channel]?.push(content)
  })
  socket.on('error', ({ message }) => fail(message))
  socket.once('close', () => fail('the connection broke off before it ended'))
  socket.resume()
  return promise.finally(() => {
    signal.removeEventListener('abort', abandon)
    socket.terminate()
  })
}

interface ExecStatus {
  status?: string
  reason?: string
  message?: string
  details?: { causes?: { reason?: string; message?: string }[] }
}

/** The Status object that ends every remote command. */
function endOf(text: string, stderr: string): Pick<CommandResult, 'code' | 'stderr'> {
  const status = parse(text)
  if (status.status === 'Success') return { code: 0, stderr }
  const exitCode = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message
  if (status.reason === 'NonZeroExitCode' && exitCode !== undefined)
    return { code: Number(exitCode), stderr }
  return { code: undefined, stderr: `${stderr}${status.message ?? text}` }
}

function parse(text: string): ExecStatus {
  try {
    return JSON.parse(text) as ExecStatus
  } catch {
    return {}
  }
}
