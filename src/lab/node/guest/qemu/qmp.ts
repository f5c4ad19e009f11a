import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { commandFailed, monitorClosed } from '../../vir-error.ts'

/** What QEMU tells unasked. */
export interface QmpEvent {
  event: string
  data: Record<string, unknown>
  /** ms since the epoch. */
  at: number
}

/** A QEMU's monitor. */
export interface Qmp {
  /** Major and minor. */
  readonly version: readonly [number, number]
  /** @throws VirError as libvirt words what QEMU refuses, or that it is gone */
  execute<T = unknown>(command: string, args?: object): Promise<T>
  /** As {@link Qmp.execute}, past the commands that wait: heard by a QEMU whose main thread hangs, too. */
  executeNow<T = unknown>(command: string, args?: object): Promise<T>
  /** Calls with every event, until the returned function is called. */
  on(listener: (event: QmpEvent) => void): () => void
  /** Rejects when there is no QEMU any more. */
  readonly gone: Promise<never>
}

/** Speaks QMP over a connection that QEMU has made; resolves when it takes commands. */
export async function openQmp(socket: Socket): Promise<Qmp> {
  const waiting = new Map<number, Waiting>()
  const listeners = new Set<(event: QmpEvent) => void>()
  const greeted = Promise.withResolvers<Greeting>()
  const gone = Promise.withResolvers<never>()
  for (const { promise } of [greeted, gone]) promise.catch(() => {})
  let lastId = 0

  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
  lines.on('line', (text) => receive(JSON.parse(text) as Message))
  // The socket's own listeners see the same error.
  lines.on('error', () => {})
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    const err = monitorClosed()
    gone.reject(err)
    greeted.reject(err)
    for (const { reject } of waiting.values()) reject(err)
    waiting.clear()
  })

  function receive(message: Message): void {
    if ('QMP' in message) greeted.resolve(message.QMP)
    else if ('event' in message) tell(message)
    else answer(message)
  }

  function tell({ event, data = {}, timestamp: { seconds, microseconds } }: EventMessage): void {
    const at = seconds * 1000 + microseconds / 1000
    for (const listener of listeners) listener({ event, data, at })
  }

  function answer({ id, error, return: result }: AnswerMessage): void {
    const call = waiting.get(id)
    waiting.delete(id)
    if (error) call?.reject(commandFailed(call.command, error.desc))
    else call?.resolve(result)
  }

  function send<T>(how: 'execute' | 'exec-oob', command: string, args?: object): Promise<T> {
    if (socket.destroyed) return gone.promise
    const call = Promise.withResolvers<unknown>()
    const id = ++lastId
    waiting.set(id, { command, ...call })
    socket.write(`${JSON.stringify({ [how]: command, arguments: args, id })}\n`)
    return call.promise as Promise<T>
  }

  const { version, capabilities } = await greeted.promise
  const { major, minor } = version.qemu
  const enable = capabilities.filter((capability) => capability === 'oob')
  await send('execute', 'qmp_capabilities', { enable })
  return {
    version: [major, minor],
    execute: (command, args) => send('execute', command, args),
    executeNow: (command, args) => send(enable.length > 0 ? 'exec-oob' : 'execute', command, args),
    on(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    gone: gone.promise,
  }
}

interface Waiting {
  command: string
  resolve(value: unknown): void
  reject(err: Error): void
}

type Message = { QMP: Greeting } | EventMessage | AnswerMessage

interface Greeting {
  version: { qemu: { major: number; minor: number } }
  capabilities: string[]
}

interface EventMessage {
  event: string
  data?: Record<string, unknown>
  timestamp: { seconds: number; microseconds: number }
}

interface AnswerMessage {
  id: number
  return?: unknown
  error?: { desc: string }
}
