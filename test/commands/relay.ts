import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A way to a server of this machine that can be cut, as if it were restarted: what is open breaks, nobody listens. */
export async function startRelay(url: string) {
  const { port } = new URL(url)
  const open = new Set<Socket>()
  const server = createServer((inbound) => {
    const outbound = connect(Number(port), '127.0.0.1')
    for (const [one, other] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const listen = (at: number) =>
    new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen(0)
  const own = (server.address() as { port: number }).port
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  onTestFinished(async () => {
    if (server.listening) await cut()
  })
  return { url: `https://127.0.0.1:${own}`, cut, mend: () => listen(own) }
}
