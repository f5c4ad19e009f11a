import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

/** A port that answers nobody, as behind a firewall that drops: who dials it stays in SYN-SENT. */
export interface BlockedPort {
  /** Where it listens. */
  port: number
  /** Our own connections that keep it full: not what goes on in the lab. */
  fillers(): number[]
  /** Packets pass again: who has been dialling gets through to the real port. */
  unblock(): Promise<void>
  close(): Promise<void>
}

/** Linux lets one connection more than the backlog wait to be accepted, and drops what else comes. */
const BACKLOG = 1

/**
 * Without a firewall's rights, a full backlog does the same: a thread of its own listens and then sleeps, so that nothing is
 * accepted. @param target port at the same address that it stands for
 */
export async function blockPort(address: string, target: number): Promise<BlockedPort> {
  const bell = new Int32Array(new SharedArrayBuffer(4))
  const workerData = { address, target, backlog: BACKLOG, fillers: BACKLOG + 1, bell }
  const worker = new Worker(PROGRAM, { eval: true, workerData })
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  const fillers = await Promise.all(Array.from({ length: BACKLOG + 1 }, () => fill(address, port)))

  async function unblock(): Promise<void> {
    for (const socket of fillers) socket.destroy()
    Atomics.store(bell, 0, 1)
    Atomics.notify(bell, 0)
  }

  return {
    port,
    fillers: () => fillers.flatMap(({ localPort }) => localPort ?? []),
    unblock,
    async close() {
      await unblock()
      await worker.terminate()
    },
  }
}

async function fill(address: string, port: number): Promise<Socket> {
  const socket = connect({ host: address, port })
  socket.on('error', () => {})
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return socket
}

/** Given as text, so that it is found from source, bundle and package alike. It wakes up to be an ordinary relay. */
const PROGRAM = `
const { connect, createServer } = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
const { address, target, backlog, bell } = workerData
let { fillers } = workerData
const server = createServer({ allowHalfOpen: true }, (inbound) => {
  if (fillers-- > 0) return void inbound.destroy()
  const outbound = connect({ host: address, port: target, allowHalfOpen: true })
  for (const [from, to] of [[inbound, outbound], [outbound, inbound]]) {
    from.pipe(to)
    from.on('error', () => to.destroy())
  }
})
server.listen({ host: address, port: 0, backlog }, () => {
  parentPort.postMessage(server.address().port)
  Atomics.wait(bell, 0, 0)
})
`
