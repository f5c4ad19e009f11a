import { connect, type Socket } from 'node:net'
import { platform } from 'node:os'
import { Worker } from 'node:worker_threads'
import { ON_THE_WAY, type RelayedPort } from './relayed-port.ts'

/** Linux lets one connection more than the backlog wait to be accepted, and drops what else comes. */
const BACKLOG = 1

/**
 * A port that answers nobody, as behind a firewall that drops: who dials it stays in SYN-SENT. Without a firewall's rights, a
 * full backlog does the same: a thread of its own listens and then sleeps, so that nothing is accepted.
 */
export async function blockPort(address: string, real: number): Promise<RelayedPort> {
  const bell = new Int32Array(new SharedArrayBuffer(4))
  const workerData = { address, real, backlog: BACKLOG, fillers: BACKLOG + 1, bell }
  const worker = new Worker(PROGRAM, { eval: true, workerData })
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  const fillers = await Promise.all(Array.from({ length: BACKLOG + 1 }, () => fill(address, port)))

  function unblock(): void {
    for (const socket of fillers) socket.destroy()
    Atomics.store(bell, 0, 1)
    Atomics.notify(bell, 0)
  }

  return {
    port,
    real,
    unblock,
    close() {
      unblock()
      void worker.terminate()
    },
  }
}

async function fill(address: string, port: number): Promise<Socket> {
  // Where the system has such an address.
  const localAddress = platform() === 'linux' ? ON_THE_WAY : undefined
  const socket = connect({ host: address, port, ...(localAddress && { localAddress }) })
  socket.on('error', () => {})
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return socket
}

/** Given as text, so that it is found from source, bundle and package alike. It wakes up to be an ordinary relay. */
const PROGRAM = `
const { connect, createServer } = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
const { address, real, backlog, bell } = workerData
let { fillers } = workerData
const server = createServer({ allowHalfOpen: true }, (inbound) => {
  if (fillers-- > 0) return void inbound.destroy()
  const outbound = connect({ host: address, port: real, allowHalfOpen: true })
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
