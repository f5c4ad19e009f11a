import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, connect as dial, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Clock } from '../../clock.ts'
import { connectError, controlLost, keepaliveTimeout, VirError } from './vir-error.ts'

/** libvirt's keepalive: so often, and so many may stay unanswered (fact sheet data-plane.md §3.10). */
const KEEPALIVE_MS = 5000
const KEEPALIVE_COUNT = 5

/**
 * The control channel between two launchers, in the place of libvirt's RPC: one JSON document a line, calls with an
 * id and their answers. It is what the channel with label 0 carries.
 */
export interface Control {
  /** Rejects with the target's VirError, or with the channel's when it ends first. */
  call<T>(method: string, params: object): Promise<T>
  /** Aborted, with the VirError, when the channel is lost; also by close(). */
  readonly lost: AbortSignal
  close(): void
}

/** Methods by name; they may reject with a VirError, which the caller gets as it is. */
export type ControlMethods = Record<string, (params: never) => Promise<unknown>>

/** Connects to the launcher behind a unix socket. @throws VirError */
export async function connectControl(file: string, clock: Clock): Promise<Control> {
  const socket = dial(file)
  try {
    await once(socket, 'connect')
  } catch (err) {
    throw connectError(file, err as NodeJS.ErrnoException)
  }
  return callOver(socket, clock)
}

export interface ControlServer {
  close(): Promise<void>
}

/**
 * Listens at the launcher's libvirt socket. Each connection gets its own methods; `ended` is called when it closes.
 */
export async function serveControl(
  file: string,
  accept: () => { methods: ControlMethods; ended(): void },
): Promise<ControlServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    const { methods, ended } = accept()
    answerOn(socket, methods)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      ended()
    })
  })
  server.listen(file)
  await once(server, 'listening')
  return {
    async close() {
      for (const socket of sockets) socket.destroy()
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      await closed
      await rm(file, { force: true })
    },
  }
}

interface Answer {
  id: number
  result?: unknown
  error?: { code: number; domain: number; message: string }
}

function callOver(socket: Socket, clock: Clock): Control {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const stopped = new AbortController()
  let lastId = 0
  let lastHeard = clock.now()

  const giveUp = (err: VirError) => {
    stopped.abort(err)
    for (const { reject } of waiting.values()) reject(err)
    waiting.clear()
  }
  const end = (err: VirError) => {
    if (!stopped.signal.aborted) giveUp(err)
    socket.destroy()
  }
  socket.on('error', (err) => end(controlLost(err)))
  socket.on('close', () => end(controlLost()))
  lines(socket, (text) => {
    lastHeard = clock.now()
    const { id, result, error } = JSON.parse(text) as Answer
    const call = waiting.get(id)
    waiting.delete(id)
    if (error) call?.reject(revive(error))
    else call?.resolve(result)
  })
  void keepAlive()

  async function keepAlive(): Promise<void> {
    while (!stopped.signal.aborted) {
      await clock.sleep(KEEPALIVE_MS, stopped.signal).catch(() => {})
      if (clock.now() - lastHeard > KEEPALIVE_MS * KEEPALIVE_COUNT) end(keepaliveTimeout())
      else if (!stopped.signal.aborted) send({ id: 0, method: 'ping', params: {} })
    }
  }

  function send(message: object): void {
    socket.write(`${JSON.stringify(message)}\n`)
  }

  return {
    call<T>(method: string, params: object): Promise<T> {
      if (stopped.signal.aborted) return Promise.reject(stopped.signal.reason)
      const call = Promise.withResolvers<unknown>()
      const id = ++lastId
      waiting.set(id, call)
      send({ id, method, params })
      return call.promise as Promise<T>
    },
    lost: stopped.signal,
    close() {
      giveUp(controlLost())
      socket.end(() => socket.destroy())
    },
  }
}

function answerOn(socket: Socket, methods: ControlMethods): void {
  lines(socket, async (text) => {
    const { id, method, params } = JSON.parse(text) as { id: number; method: string; params: never }
    const answer = await perform(methods, method, params)
    if (socket.writable) socket.write(`${JSON.stringify({ id, ...answer })}\n`)
  })
}

async function perform(methods: ControlMethods, method: string, params: never) {
  if (method === 'ping') return { result: null }
  try {
    const known = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (!known) throw new VirError('internal', 'rpc', `unknown procedure: ${method}`)
    return { result: (await known(params)) ?? null }
  } catch (err) {
    const { code, domain, message } =
      err instanceof VirError ? err : new VirError('internal', 'qemu', `internal error: ${err}`)
    return { error: { code, domain, message } }
  }
}

/** A line that is no JSON ends the connection: it is no launcher that talks here. */
function lines(socket: Socket, onLine: (text: string) => void | Promise<void>): void {
  const reader = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
  // The socket's own listeners see the same error.
  reader.on('error', () => {})
  reader.on('line', (text) => {
    const fail = () => socket.destroy()
    try {
      Promise.resolve(onLine(text)).catch(fail)
    } catch {
      fail()
    }
  })
}

function revive({ code, domain, message }: NonNullable<Answer['error']>): VirError {
  return Object.assign(new VirError('internal', 'rpc', message), { code, domain })
}
