import { BACKLOG } from '../../proxy/listener.ts'
import type { TcpSocket } from './kernel-sockets.ts'

/** `ss -ltnH` and `ss -tanH`. */
export function tcpTable(sockets: readonly TcpSocket[]): string {
  return sockets.map((socket) => `${socket.state.padEnd(9)} ${columns(socket)}\n`).join('')
}

/** What is known of a connection beside what the kernel's table has. */
export interface Counters {
  sent: number
  received: number
}

/** `ss -tinH state …`: without the state, with a second line of counters. */
export function countedTable(
  sockets: readonly TcpSocket[],
  countersOf: (socket: TcpSocket) => Counters | undefined,
): string {
  return sockets
    .map((socket) => {
      const counters = countersOf(socket)
      const words = [
        ...(counters ? [`bytes_sent:${counters.sent}`, `bytes_received:${counters.received}`] : []),
        ...(socket.retransmits > 0 ? [`retrans:${socket.retransmits}/${socket.retransmits}`] : []),
      ]
      return `${columns(socket)}\n\t ${words.join(' ')}\n`
    })
    .join('')
}

/** `ss -xlH`; inodes are not told. */
export function unixTable(paths: readonly string[]): string {
  return paths
    .map((path) => `u_str LISTEN 0      ${String(BACKLOG).padEnd(6)} ${path} 0 * 0\n`)
    .join('')
}

/** What `ss` writes above a table when it is not told `H`. @param table of the three above */
export function withHeading(table: string, of: 'tcp' | 'counted' | 'unix'): string {
  const addresses = `${'Local Address:Port'.padStart(21)} Peer Address:Port`
  const headings = {
    tcp: `${'State'.padEnd(9)} Recv-Q Send-Q ${addresses}`,
    counted: `Recv-Q Send-Q ${addresses}`,
    unix: 'Netid State  Recv-Q Send-Q Local Address:Port Peer Address:Port',
  }
  return `${headings[of]}\n${table}`
}

function columns({ recvQ, sendQ, local, peer }: TcpSocket): string {
  const isAny = peer.port === 0
  const [from, to] = [
    `${local.address}:${local.port}`,
    isAny ? `${peer.address}:*` : `${peer.address}:${peer.port}`,
  ]
  return `${String(recvQ).padEnd(6)} ${String(sendQ).padEnd(6)} ${from.padStart(21)} ${to}`
}
