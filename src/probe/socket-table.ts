/** A socket as `ss -H` shows it. */
export interface SocketRow {
  /** `LISTEN`, `ESTAB`, `SYN-SENT` …; absent where `ss` was asked for one state only. */
  state?: string
  /** Bytes not read yet; of a listener, connections not accepted yet. */
  recvQ: number
  /** Bytes not acknowledged yet; of a listener, how many may wait. */
  sendQ: number
  local: Endpoint
  peer: Endpoint
  /** `bytes_sent`, `bytes_received`, `retrans` …: what `-i` adds, where it was asked for. */
  info?: Record<string, string>
}

interface Endpoint {
  /** Without brackets, scope and the form of IPv4 inside IPv6; `*` for any. */
  address: string
  /** Undefined for any. */
  port: number | undefined
}

/** Reads the table of `ss -t…H`; lines of another form are left out. */
export function parseTcpTable(text: string): SocketRow[] {
  const rows: SocketRow[] = []
  for (const line of text.split('\n')) {
    const last = rows.at(-1)
    if (/^\s/.test(line)) {
      if (last && line.trim() !== '') last.info = parseInfo(line)
      continue
    }
    const words = line.trim().split(/\s+/)
    const state = /^\d+$/.test(words[0] ?? '') ? undefined : words.shift()
    const [recvQ, sendQ, local, peer] = words
    if (!recvQ || !sendQ || !local || !peer) continue
    rows.push({
      ...(state !== undefined && { state }),
      recvQ: Number(recvQ),
      sendQ: Number(sendQ),
      local: parseEndpoint(local),
      peer: parseEndpoint(peer),
    })
  }
  return rows
}

/** The listening unix sockets of `ss -xlH`, by their paths. */
export function parseUnixTable(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [, path] = /^u_\S+\s+LISTEN\s+\d+\s+\d+\s+(.*?)\s+\d+\s+\*\s+0\s*$/.exec(line) ?? []
    return path === undefined ? [] : [path]
  })
}

/** A row as it is quoted. */
export function rowText({ state, recvQ, sendQ, local, peer, info = {} }: SocketRow): string {
  const text = ({ address, port }: Endpoint) =>
    `${address.includes(':') ? `[${address}]` : address}:${port ?? '*'}`
  const counters = ['bytes_sent', 'bytes_received', 'retrans', 'unacked'].flatMap((name) =>
    info[name] === undefined ? [] : [`${name}:${info[name]}`],
  )
  const columns = [`Recv-Q ${recvQ}`, `Send-Q ${sendQ}`, text(local), text(peer), ...counters]
  return [...(state === undefined ? [] : [state]), ...columns].join(' ')
}

/**
 * Bytes that arrived in either direction since the connection began; undefined where the kernel does not tell. What was
 * sent again and again without an answer is none of them.
 */
export function progressOf({ sendQ, info = {} }: SocketRow): number | undefined {
  const figure = (name: string) => Number(info[name] ?? 0)
  if (info['bytes_sent'] === undefined && info['bytes_received'] === undefined) return undefined
  // Not told while nothing was acknowledged; then, and where it never is, what waits has not arrived.
  const acked =
    info['bytes_acked'] === undefined
      ? Math.max(0, figure('bytes_sent') - figure('bytes_retrans') - sendQ)
      : figure('bytes_acked')
  return acked + figure('bytes_received')
}

/** `retrans:now/all`; how often was sent again what got no answer, since the connection began. */
export function retransmissions({ info }: SocketRow): number {
  return Number(info?.['retrans']?.split('/').at(-1) ?? 0)
}

function parseInfo(line: string): Record<string, string> {
  const pairs = line.matchAll(/(?:^|\s)([a-z_]+):(\S+)/g)
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, value]))
}

function parseEndpoint(text: string): Endpoint {
  const at = text.lastIndexOf(':')
  const port = text.slice(at + 1)
  const address = text
    .slice(0, at)
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/, '')
  return { address, port: port === '*' ? undefined : Number(port) }
}
