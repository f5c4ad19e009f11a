import type { TcpSocket } from '../kernel-sockets.ts'

/** Where connections come from that are no node's. */
export const ON_THE_WAY = '127.79.0.1'

/** A port of a node that is published in the place of another, to which something on the way leads. */
export interface RelayedPort {
  /** What is published. */
  port: number
  /** Where the node's own listener is, at the same address. */
  real: number
  /** Packets pass again, where they did not. */
  unblock(): void
  close(): void
}

/** How the sockets look to the node, for which there is nothing on the way: all is at the ports that are published. */
export function seenByNode(
  sockets: readonly TcpSocket[],
  relayed: readonly RelayedPort[],
): TcpSocket[] {
  return sockets.flatMap((socket) => {
    const { local, peer, state } = socket
    if (local.address === ON_THE_WAY || peer.address === ON_THE_WAY) return []
    const isListener = state === 'LISTEN'
    if (relayed.some(({ port }) => port === local.port)) return isListener ? [socket] : []
    const front = relayed.find(({ real }) => real === local.port)
    if (!front) return [socket]
    return isListener ? [] : [{ ...socket, local: { ...local, port: front.port } }]
  })
}
