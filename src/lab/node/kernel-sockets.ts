import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'

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
  /** What a process that holds it knows it by; 0 when none does any more. */
  inode: number
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

/** All IPv4 TCP sockets of this machine, without the backlog of those that listen; rejects where the system has no such file. */
export async function tcpSockets(file = '/proc/net/tcp'): Promise<TcpSocket[]> {
  const [, ...lines] = (await readFile(file, 'utf8')).split('\n')
  return lines.flatMap((line) => {
    const [, local = '', peer = '', code = '', queues = '', , retransmits = '0', , , inode = '0'] =
      line.trim().split(/\s+/)
    if (queues === '') return []
    const state = STATES[Number.parseInt(code, 16) - 1] ?? 'UNCONN'
    const [sendQ = 0, recvQ = 0] = queues.split(':').map((text) => Number.parseInt(text, 16))
    return [
      {
        state,
        recvQ,
        sendQ,
        local: endpoint(local),
        peer: endpoint(peer),
        retransmits: Number.parseInt(retransmits, 16),
        inode: Number(inode),
      },
    ]
  })
}

/** The inodes of all sockets that this process holds, whichever of its threads opened them. */
export async function ownInodes(folder = '/proc/self/fd'): Promise<Set<number>> {
  const links = await Promise.all(
    (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => '')),
  )
  return new Set(links.flatMap((link) => Number(/^socket:\[(\d+)\]$/.exec(link)?.[1]) || []))
}

/** What the system lets wait to be accepted, however much is asked for. */
export async function largestBacklog(file = '/proc/sys/net/core/somaxconn'): Promise<number> {
  return Number(await readFile(file, 'utf8'))
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
