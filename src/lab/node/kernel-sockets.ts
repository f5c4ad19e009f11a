import { readFile } from 'node:fs/promises'

/** A TCP socket as the kernel tells it, `/proc/net/tcp`. */
export interface TcpSocket {
  /** As `ss` names it: LISTEN, ESTAB, SYN-SENT … */
  state: string
  recvQ: number
  sendQ: number
  local: { address: string; port: number }
  peer: { address: string; port: number }
  /** Timeouts in a row without an answer. */
  retransmits: number
}

/** By the kernel's numbers, from 1 on. */
const STATES = [
  'ESTAB',
  'SYN-SENT',
  'SYN-RECV',
  'FIN-WAIT-1',
  'FIN-WAIT-2',
  'TIME-WAIT',
  'UNCONN',
  'LAST-ACK',
  'CLOSE-WAIT',
  'LISTEN',
  'CLOSING',
]

/** What is listened with: node's own backlog, which the file does not tell. */
const BACKLOG = 511

/** All IPv4 TCP sockets of this machine; rejects where the system has no such file. */
export async function tcpSockets(file = '/proc/net/tcp'): Promise<TcpSocket[]> {
  const [, ...lines] = (await readFile(file, 'utf8')).split('\n')
  return lines.flatMap((line) => {
    const [, local = '', peer = '', code = '', queues = '', , retransmits = '0'] = line
      .trim()
      .split(/\s+/)
    if (queues === '') return []
    const state = STATES[Number.parseInt(code, 16) - 1] ?? 'UNCONN'
    const [sendQ = 0, recvQ = 0] = queues.split(':').map((text) => Number.parseInt(text, 16))
    return [
      {
        state,
        recvQ,
        sendQ: state === 'LISTEN' ? BACKLOG : sendQ,
        local: endpoint(local),
        peer: endpoint(peer),
        retransmits: Number.parseInt(retransmits, 16),
      },
    ]
  })
}

/** Paths of the unix sockets of this machine that are listened on. */
export async function unixListeners(file = '/proc/net/unix'): Promise<string[]> {
  const [, ...lines] = (await readFile(file, 'utf8')).split('\n')
  return lines.flatMap((line) => {
    const [, , , flags = '', , , , path] = line.trim().split(/\s+/)
    // __SO_ACCEPTCON
    return path && (Number.parseInt(flags, 16) & 0x10000) !== 0 ? [path] : []
  })
}

/** `0100007F:9A61`: the address as the machine's own (little-endian) number. */
function endpoint(text: string): { address: string; port: number } {
  const [address = '', port = ''] = text.split(':')
  const bytes = (address.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16))
  return { address: bytes.join('.'), port: Number.parseInt(port, 16) }
}
